import { administer } from '../support/postgres.ts';
import { replaceEach, startNginxBeforeTwo } from '../support/published-nginx.ts';
import { type ConnectionAnswer, type Connections, openConnections } from './connections.ts';
import type { FaultOptions, FaultOutcome } from './fault.ts';
import { authorization } from './sqlite-rig.ts';
import { startTwoServers } from './two-servers.ts';

const clients = 32;
const killsEveryDay = 2;
const killsOnDemand = 20;
const downMilliseconds = 2000;
/** Until nginx has closed its idle connections to the killed server, and the requests of that moment have ended. */
const settledMilliseconds = 500;

/**
 * Kills one of two servers in turns, under clients that use every method, with and without an `Idempotency-Key`. Only a write
 * without one that was sent to the killed server has an unknown outcome. While the server is down, nothing fails.
 */
export async function killBehindNginx({ long }: FaultOptions): Promise<FaultOutcome> {
  const kills = long ? killsOnDemand : killsEveryDay;
  await using servers = await startTwoServers();
  await using nginx = await startNginxBeforeTwo(servers.ports, (site) =>
    replaceEach(site, [['rate=100r/s', 'rate=100000r/s']]),
  );
  using connections = openConnections(nginx.tlsPort, {
    ca: nginx.certificate,
    serverName: 'animals.example',
  });
  const load = startLoad(connections);
  for (let kill = 0; kill < kills; kill += 1) {
    const index = kill % 2 === 0 ? 0 : 1;
    load.isUnsettled = true;
    await servers.stop(index, 'SIGKILL');
    await Bun.sleep(settledMilliseconds);
    load.isUnsettled = false;
    await Bun.sleep(downMilliseconds);
    await servers.start(index);
    // A request that found this server down must not find the other one down too.
    await Bun.sleep(settledMilliseconds);
  }
  await load.stop();
  const broken = [...load.failed].map(([what, count]) => `${count} times ${what}`);
  const failures = [...load.failed.values()].reduce((sum, count) => sum + count, 0);
  const events = await administer(servers.postgresUrl, createdAnimals);
  const counts = new Map(events.map(({ name, count }) => [String(name), Number(count)]));
  const lost = [...load.added].filter((name) => counts.get(name) !== 1).length;
  const twice = [...counts.values()].filter((count) => count > 1).length;
  if (lost > 0) broken.push(`${lost} acknowledged animals were not added exactly once`);
  if (twice > 0) broken.push(`${twice} animals were added twice`);
  return {
    figures: [
      `${kills} kills`,
      `${load.asked} requests, ${load.unknown} of unknown outcome, ${failures} others failed`,
      `${counts.size} animals, ${twice} added twice`,
    ],
    broken,
  };
}

const createdAnimals = `
  SELECT json::json -> 'data' ->> 'name' AS name, count(*)::int AS count
  FROM animal_store.events WHERE type = 'pet.created' GROUP BY 1`;

interface KillLoad {
  /** Whether a server is being killed. */
  isUnsettled: boolean;
  asked: number;
  unknown: number;
  readonly added: Set<string>;
  /** How often each request failed that must not. */
  readonly failed: Map<string, number>;
  stop(): Promise<void>;
}

/** Clients that add, change and remove animals and categories of their own without a pause. */
function startLoad(connections: Connections): KillLoad {
  let running = true;
  let lastKey = 0;

  async function ask(
    method: string,
    path: string,
    isKeyed: boolean,
    content?: object,
  ): Promise<ConnectionAnswer> {
    lastKey += 1;
    const answer = await connections.ask(
      requestText(method, path, isKeyed ? `key-${lastKey}` : undefined, content),
    );
    load.asked += 1;
    if (answer.httpStatus >= 200 && answer.httpStatus < 300) return answer;
    const mayBeUnknown = load.isUnsettled && !isKeyed && method !== 'GET';
    if (mayBeUnknown && answer.body.includes('"outcome_unknown"')) {
      load.unknown += 1;
      return answer;
    }
    const key = isKeyed ? 'with' : 'without';
    const what = `a ${method} ${key} a key got ${answer.httpStatus} ${answer.body}`.trim();
    load.failed.set(what, (load.failed.get(what) ?? 0) + 1);
    return answer;
  }

  async function runClient(client: number): Promise<void> {
    for (let count = 0; running; count += 1) {
      const isKeyed = (client + count) % 2 === 0;
      const name = `Pet ${client} ${count}`;
      await ask('GET', '/v1/pets?limit=3', false);
      await ask('PUT', `/v1/categories/${client + 1}`, isKeyed, {
        name: `Kind ${client} ${count}`,
      });
      const { httpStatus, body } = await ask('POST', '/v1/pets', isKeyed, { name, categoryId: 1 });
      if (httpStatus !== 201) continue;
      load.added.add(name);
      const path = `/v1/pets/${JSON.parse(body).id}`;
      await ask('PATCH', path, isKeyed, { name: `${name} again` });
      await ask('DELETE', path, isKeyed);
    }
  }

  const load: KillLoad = {
    isUnsettled: false,
    asked: 0,
    unknown: 0,
    added: new Set(),
    failed: new Map(),
    async stop() {
      running = false;
      await Promise.all(all);
    },
  };
  const all = Array.from({ length: clients }, (_, client) => runClient(client));
  return load;
}

function requestText(
  method: string,
  path: string,
  key: string | undefined,
  content: object | undefined,
): string {
  const body = content === undefined ? '' : JSON.stringify(content);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: animals.example',
    `Authorization: ${authorization.authorization}`,
    ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
    ...(content === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
