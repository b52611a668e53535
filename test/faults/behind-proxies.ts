import { publishedHaproxyIsMissing, startPublishedHaproxy } from '../support/published-haproxy.ts';
import { publishedNginxIsMissing, startNginxBeforeTwo } from '../support/published-nginx.ts';
import { type AnswerLog, compareAnswers, createAnswerLog } from './compare-answers.ts';
import {
  type ConnectionAnswer,
  type Connections,
  openConnections,
  requestText,
} from './connections.ts';
import { onSqlite } from './databases.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { onTwoServers, type TwoServersOptions, withoutLimit } from './two-servers.ts';

export const proxyFaults: readonly LongTest[] = [
  {
    name: 'haproxy-idle-connections',
    title:
      'writes through HAProxy (docs/deploy) at the moment when the server closes idle connections',
    isPatient: true,
    missing: publishedHaproxyIsMissing,
    run: writeWhenIdleConnectionsClose,
  },
  {
    name: 'nginx-restarts',
    title:
      'two servers behind nginx restarted in turns as in docs/operations.md, under clients that keep their connections open',
    missing: publishedNginxIsMissing,
    run: restartBehindNginx,
  },
  {
    name: 'haproxy-restarts',
    title: 'two servers behind HAProxy, which checks /readyz, restarted in turns',
    missing: publishedHaproxyIsMissing,
    run: restartBehindHaproxy,
  },
];

const clients = 32;
const roundsEveryDay = 2;
const roundsOnDemand = 20;
/** As in docs/operations.md. Requests on their way to the server arrive within this time. */
const takenOutMilliseconds = 1000;
/** HAProxy notices within 4 s, after two checks. */
const drainSeconds = 6;
/** HAProxy checks a server that is back within this time. */
const noticedMilliseconds = 2500;

function restartBehindNginx(options: TestOptions): Promise<TestOutcome> {
  return restartInTurns(options, {}, async (ports) => {
    const nginx = await startNginxBeforeTwo(ports, withoutLimit);
    return {
      connections: openConnections(nginx.tlsPort, {
        ca: nginx.certificate,
        serverName: 'animals.example',
      }),
      async restart(index, restart) {
        nginx.takeOut(index);
        await Bun.sleep(takenOutMilliseconds);
        await restart();
        nginx.bringBack(index);
      },
      [Symbol.asyncDispose]: () => nginx[Symbol.asyncDispose](),
    };
  });
}

function restartBehindHaproxy(options: TestOptions): Promise<TestOutcome> {
  const args = ['--drain-delay', String(drainSeconds)];
  return restartInTurns(options, { args }, async (ports) => ({
    ...(await startHaproxy(ports)),
    async restart(_index, restart) {
      await restart();
      await Bun.sleep(noticedMilliseconds);
    },
  }));
}

/** A proxy between clients and servers. */
interface Proxy extends AsyncDisposable {
  /** Connections to the proxy. */
  readonly connections: Connections;
}

async function startHaproxy(ports: readonly [number, number]): Promise<Proxy> {
  const haproxy = await startPublishedHaproxy(ports);
  return { ...haproxy, connections: openConnections(haproxy.port) };
}

interface Balancer extends Proxy {
  /** Restarts a server as the documents describe. */
  restart(index: 0 | 1, restart: () => Promise<void>): Promise<void>;
}

function restartInTurns(
  { long }: TestOptions,
  servers: TwoServersOptions,
  startBalancer: (ports: readonly [number, number]) => Promise<Balancer>,
): Promise<TestOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  return onTwoServers(async ({ database, ports, stop, start }) => {
    await using balancer = await startBalancer(ports);
    using connections = balancer.connections;
    const log = createAnswerLog();
    const load = startLoad(connections, log);
    const broken: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const index = round % 2 === 0 ? 0 : 1;
      await balancer.restart(index, async () => {
        const code = await stop(index, 'SIGTERM');
        if (code !== 0) broken.push(`a server ended with ${code}`);
        await start(index);
      });
    }
    const { requests, failures, lines } = await load.stop();
    broken.push(...compareAnswers([log], await database.readAnimals()), ...lines);
    const figures = [`${rounds} restarts`, `${requests} requests, ${failures} failed`];
    return { figures, broken };
  }, servers);
}

/** Clients that keep their connections open, and list and add in turns without a pause. */
function startLoad(connections: Connections, log: AnswerLog) {
  const failed = new Map<string, number>();
  let requests = 0;
  let isRunning = true;

  async function runClient(client: number): Promise<void> {
    for (let count = 0; isRunning; count += 1) {
      const isWrite = (client + count) % 2 === 0;
      const name = `Pet ${client} ${count}`;
      const { httpStatus, body } = await connections.send(isWrite ? addPet(name) : listPets);
      requests += 1;
      if (httpStatus !== (isWrite ? 201 : 200)) {
        if (isWrite) log.unknown.add(name);
        const failure = `a ${isWrite ? 'POST' : 'GET'} got ${httpStatus} ${body}`.trim();
        failed.set(failure, (failed.get(failure) ?? 0) + 1);
      } else if (isWrite) {
        log.acknowledged.set(name, Number(JSON.parse(body).id));
      }
    }
  }

  const running = Array.from({ length: clients }, (_, client) => runClient(client));
  return {
    /** Waits for the running requests. Returns the failures as lines. */
    async stop() {
      isRunning = false;
      await Promise.all(running);
      const failures = [...failed.values()].reduce((sum, count) => sum + count, 0);
      return {
        requests,
        failures,
        lines: [...failed].map(([text, count]) => `${count} times ${text}`),
      };
    },
  };
}

const listPets = requestText('GET', '/v1/pets?limit=3');
const addPet = (name: string) =>
  requestText('POST', '/v1/pets', { content: { name, categoryId: 1 } });

const writesAtOnce = 30;
const idleRoundsEveryDay = 2;
const idleRoundsOnDemand = 14;
/** To close so many takes the server about 10 ms. Writes that arrive during this time are easily lost. */
const idleConnections = 1000;

/**
 * The server closes all connections together that were idle for long enough. Its order is unknown. So this test opens
 * more idle connections before and after those of the proxy, and writes when the first of them is closed.
 */
function writeWhenIdleConnectionsClose({ long }: TestOptions): Promise<TestOutcome> {
  const rounds = long ? idleRoundsOnDemand : idleRoundsEveryDay;
  return onSqlite(async (database) => {
    await using server = await database.start();
    const serverPort = Number(new URL(server.origin).port);
    await using proxy = await startHaproxy([serverPort, serverPort]);
    using connections = proxy.connections;
    const failed: ConnectionAnswer[] = [];
    const write = async (name: string) => {
      const names = Array.from({ length: writesAtOnce }, (_, index) => `${name} ${index}`);
      const answers = await Promise.all(names.map((text) => connections.send(addPet(text))));
      failed.push(...answers.filter(({ httpStatus }) => httpStatus !== 201));
    };
    for (let round = 0; round < rounds; round += 1) {
      const before = await openIdle(serverPort);
      await write(`Before ${round}`);
      const after = await openIdle(serverPort);
      await Promise.race([before.closing, after.closing]);
      await write(`At the moment ${round}`);
    }
    await server.stop('SIGTERM');
    const { httpStatus, body } = failed[0] ?? { httpStatus: 0, body: '' };
    return {
      figures: [
        `${rounds * writesAtOnce} writes at that moment, ${failed.length} not acknowledged`,
      ],
      broken:
        failed.length === 0 ? [] : [`${failed.length} writes got ${httpStatus} ${body}`.trim()],
    };
  });
}

/** Opens connections and sends nothing. `closing` resolves when the server closes the first of them. */
async function openIdle(port: number): Promise<{ closing: Promise<void> }> {
  const { promise: closing, resolve } = Promise.withResolvers<void>();
  const socket = { data() {}, close: () => resolve() };
  for (let opened = 0; opened < idleConnections; opened += 100) {
    const connecting = () => Bun.connect({ hostname: '127.0.0.1', port, socket });
    await Promise.all(Array.from({ length: 100 }, connecting));
  }
  return { closing };
}
