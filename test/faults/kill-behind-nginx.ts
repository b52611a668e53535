import { startNginxBeforeTwo } from '../support/published-nginx.ts';
import { type ConnectionAnswer, type Connections, requestText } from './connections.ts';
import { linesOf } from './figures.ts';
import type { TestOptions, TestOutcome } from './long-test.ts';
import { connectTo, type ProxyLoad, startProxyLoad, withoutLimit } from './proxy-load.ts';
import { onTwoServers, type TwoServers } from './two-servers.ts';

const killsEveryDay = 2;
const killsOnDemand = 20;
const downMilliseconds = 2000;
/** Until nginx has closed its idle connections to the killed server and the requests of that moment have ended. */
const settledMilliseconds = 500;

/**
 * Kills one of two servers in turns, under clients that use every method, with and without an `Idempotency-Key`. Only a
 * write without one that was sent to the killed server may have an unknown outcome. While the server is down, no
 * request may fail.
 */
export function killBehindNginx({ long }: TestOptions): Promise<TestOutcome> {
  return onTwoServers((servers) => killInTurns(servers, long ? killsOnDemand : killsEveryDay));
}

async function killInTurns(servers: TwoServers, kills: number): Promise<TestOutcome> {
  await using nginx = await startNginxBeforeTwo(servers.ports, withoutLimit);
  using connections = connectTo(nginx);
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
  const { failures, lines } = await load.stop();
  const events = await servers.database.sql(createdAnimals);
  const counts = new Map(events.map(({ name, count }) => [String(name), Number(count)]));
  const lost = [...load.added].filter((name) => counts.get(name) !== 1).length;
  const twice = [...counts.values()].filter((count) => count > 1).length;
  return {
    figures: [
      `${kills} kills`,
      `${load.requests} requests, ${load.unknown} of unknown outcome, ${failures} others failed`,
      `${counts.size} animals, ${twice} added twice`,
    ],
    broken: [
      ...lines,
      ...linesOf(
        lost > 0 && `${lost} acknowledged animals were not added exactly once`,
        twice > 0 && `${twice} animals were added twice`,
      ),
    ],
  };
}

const createdAnimals = `
  SELECT json::json -> 'data' ->> 'name' AS name, count(*)::int AS count
  FROM animal_store.events WHERE type = 'pet.created' GROUP BY 1`;

/** A load in which some requests may have an unknown outcome. */
interface KillLoad extends ProxyLoad {
  /** Whether a server is being killed. */
  isUnsettled: boolean;
  unknown: number;
  readonly added: Set<string>;
}

/** Clients that add, change and remove their own animals and categories. */
function startLoad(connections: Connections): KillLoad {
  const added = new Set<string>();
  let lastKey = 0;

  async function send(
    method: string,
    path: string,
    isKeyed: boolean,
    content?: object,
  ): Promise<ConnectionAnswer> {
    lastKey += 1;
    const key = isKeyed && { key: `key-${lastKey}` };
    const text = requestText(method, path, { ...key, ...(content && { content }) });
    const answer = await connections.send(text);
    load.requests += 1;
    if (answer.httpStatus >= 200 && answer.httpStatus < 300) return answer;
    const mayBeUnknown = load.isUnsettled && !isKeyed && method !== 'GET';
    if (mayBeUnknown && answer.body.includes('"outcome_unknown"')) load.unknown += 1;
    else load.addFailure(`a ${method} ${isKeyed ? 'with' : 'without'} a key`, answer);
    return answer;
  }

  const started = startProxyLoad(async (_load, client, count) => {
    const isKeyed = (client + count) % 2 === 0;
    const name = `Pet ${client} ${count}`;
    await send('GET', '/v1/pets?limit=3', false);
    const category = { name: `Kind ${client} ${count}` };
    await send('PUT', `/v1/categories/${client + 1}`, isKeyed, category);
    const { httpStatus, body } = await send('POST', '/v1/pets', isKeyed, { name, categoryId: 1 });
    if (httpStatus !== 201) return;
    added.add(name);
    const path = `/v1/pets/${JSON.parse(body).id}`;
    await send('PATCH', path, isKeyed, { name: `${name} again` });
    await send('DELETE', path, isKeyed);
  });
  const load: KillLoad = Object.assign(started, { isUnsettled: false, unknown: 0, added });
  return load;
}
