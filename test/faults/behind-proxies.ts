import type { TLSOptions } from 'bun';
import { administer } from '../support/postgres.ts';
import { publishedHaproxyIsMissing, startPublishedHaproxy } from '../support/published-haproxy.ts';
import {
  type PublishedNginx,
  publishedNginxIsMissing,
  replaceEach,
  startNginxBeforeTwo,
  startPublishedNginx,
} from '../support/published-nginx.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import {
  compareAnswers,
  type StoredAnimal,
  storedAnimalsQuery,
  type Told,
} from './compare-answers.ts';
import { type ConnectionAnswer, type Connections, openConnections } from './connections.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { killBehindNginx } from './kill-behind-nginx.ts';
import { authorization, sqliteDataIn } from './sqlite-rig.ts';
import { startTwoServers } from './two-servers.ts';

export const proxyFaults: readonly Fault[] = [
  {
    name: 'nginx-idle',
    title:
      'writes through nginx (docs/deploy) at the moment when the server closes connections that lie idle',
    promise: 'Every write is acknowledged.',
    missing: publishedNginxIsMissing,
    run: (options) => writeWhenIdleConnectionsClose(options, startOneNginx),
  },
  {
    name: 'haproxy-idle',
    title: 'the same through HAProxy (docs/deploy)',
    promise: 'Every write is acknowledged.',
    missing: publishedHaproxyIsMissing,
    run: (options) => writeWhenIdleConnectionsClose(options, (port) => startHaproxy([port, port])),
  },
  {
    name: 'nginx-restarts',
    title:
      'two servers behind nginx restarted in turns, as docs/operations.md tells, under clients that keep their connections',
    promise: 'No request is refused, lost or answered with an error.',
    missing: publishedNginxIsMissing,
    run: restartBehindNginx,
  },
  {
    name: 'haproxy-restarts',
    title: 'the same behind HAProxy, which asks /readyz',
    promise: 'No request is refused, lost or answered with an error.',
    missing: publishedHaproxyIsMissing,
    run: restartBehindHaproxy,
  },
  {
    name: 'nginx-kill',
    title:
      'one of two servers behind nginx killed (SIGKILL), under clients that use every method, with and without an Idempotency-Key',
    promise:
      'While the server is down, no request fails. At the kill, only a write without an Idempotency-Key that was sent to it can get 503 outcome_unknown, and no write is repeated without one.',
    missing: publishedNginxIsMissing,
    run: killBehindNginx,
  },
];

const clients = 32;
const roundsEveryDay = 4;
const roundsOnDemand = 20;
/** As docs/operations.md tells: what is on its way to a server gets there meanwhile. */
const takenOutMilliseconds = 1000;
/** Longer than HAProxy takes to notice, twice 2 s. */
const drainSeconds = 6;
/** Within which HAProxy asks a server that is back. */
const noticedMilliseconds = 2500;

/** A limit for each address is no part of what is tried here, as all clients have the same. */
const withoutLimit = (site: string) => replaceEach(site, [['rate=100r/s', 'rate=100000r/s']]);

function restartBehindNginx(options: FaultOptions): Promise<FaultOutcome> {
  return restartInTurns(options, [], async (ports) => {
    const nginx = await startNginxBeforeTwo(ports, withoutLimit);
    return {
      connections: openConnections(nginx.tlsPort, tlsOf(nginx)),
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

function restartBehindHaproxy(options: FaultOptions): Promise<FaultOutcome> {
  return restartInTurns(options, ['--drain-delay', String(drainSeconds)], async (ports) => ({
    ...(await startHaproxy(ports)),
    async restart(_index, restart) {
      await restart();
      await Bun.sleep(noticedMilliseconds);
    },
  }));
}

/** Whatever stands between clients and servers. */
interface Proxy extends AsyncDisposable {
  /** Clients of it. */
  readonly connections: Connections;
}

async function startHaproxy(ports: readonly [number, number]): Promise<Proxy> {
  const haproxy = await startPublishedHaproxy(ports);
  return { ...haproxy, connections: openConnections(haproxy.port) };
}

interface Balancer extends Proxy {
  /** Has a server restarted as its documents tell. */
  restart(index: 0 | 1, restart: () => Promise<void>): Promise<void>;
}

async function restartInTurns(
  { long }: FaultOptions,
  args: readonly string[],
  startBalancer: (ports: readonly [number, number]) => Promise<Balancer>,
): Promise<FaultOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  await using servers = await startTwoServers(args);
  await using balancer = await startBalancer(servers.ports);
  const asking = keepAsking(balancer.connections);
  const broken: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const index = round % 2 === 0 ? 0 : 1;
    await balancer.restart(index, async () => {
      const code = await servers.stop(index, 'SIGTERM');
      if (code !== 0) broken.push(`a server ended with ${code}`);
      await servers.start(index);
    });
  }
  const { asked, failed, ...told } = await asking.stop();
  const rows = await administer(servers.postgresUrl, storedAnimalsQuery('postgres'), 'postgres');
  broken.push(...compareAnswers([told], rows as unknown as StoredAnimal[]));
  for (const [what, count] of failed) broken.push(`${count} times ${what}`);
  const failures = [...failed.values()].reduce((sum, count) => sum + count, 0);
  return { figures: [`${rounds} restarts`, `${asked} requests, ${failures} failed`], broken };
}

interface Asking {
  /** Lets what is under way come to its end. */
  stop(): Promise<Asked>;
}

interface Asked extends Told {
  readonly asked: number;
  /** How often each request was answered with anything but what was asked for. */
  readonly failed: ReadonlyMap<string, number>;
}

/** Clients that keep their connections, and list and add in turns without a pause. */
function keepAsking(connections: Connections): Asking {
  const acknowledged = new Map<string, number>();
  const unknown = new Set<string>();
  const failed = new Map<string, number>();
  let asked = 0;
  let running = true;

  async function ask(client: number): Promise<void> {
    for (let count = 0; running; count += 1) {
      const isWrite = (client + count) % 2 === 0;
      const name = `Pet ${client} ${count}`;
      const { httpStatus, body } = await connections.ask(isWrite ? addPet(name) : listPets);
      asked += 1;
      if (httpStatus === (isWrite ? 201 : 200)) {
        if (isWrite) acknowledged.set(name, Number(JSON.parse(body).id));
      } else {
        if (isWrite) unknown.add(name);
        const what = `a ${isWrite ? 'POST' : 'GET'} got ${httpStatus} ${body}`.trim();
        failed.set(what, (failed.get(what) ?? 0) + 1);
      }
    }
  }

  const asking = Array.from({ length: clients }, (_, client) => ask(client));
  return {
    async stop() {
      running = false;
      await Promise.all(asking);
      connections[Symbol.dispose]();
      return { asked, failed, acknowledged, unknown, refused: new Set() };
    },
  };
}

const headers = `Host: animals.example\r\nAuthorization: ${authorization.authorization}\r\n`;
const listPets = `GET /v1/pets?limit=3 HTTP/1.1\r\n${headers}\r\n`;

function addPet(name: string): string {
  const body = JSON.stringify({ name, categoryId: 1 });
  const type = 'Content-Type: application/json';
  return `POST /v1/pets HTTP/1.1\r\n${headers}${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function tlsOf({ certificate }: PublishedNginx): TLSOptions {
  return { ca: certificate, serverName: 'animals.example' };
}

const writesAtOnce = 30;
const aimsEveryDay = 2;
const aimsOnDemand = 14;
/** Closing so many keeps the server busy for some 10 ms, in which writes that come are easily lost. */
const idleConnections = 1000;

/**
 * The server closes all connections at once that lay idle for long enough. Others tell when it begins: those that were
 * opened before and after the connections of the proxy, as nobody knows in which order it goes.
 */
async function writeWhenIdleConnectionsClose(
  { long }: FaultOptions,
  startProxy: (serverPort: number) => Promise<Proxy>,
): Promise<FaultOutcome> {
  const aims = long ? aimsOnDemand : aimsEveryDay;
  using folder = makeTemporaryFolder();
  const store = sqliteDataIn(folder.path);
  await using server = await store.start();
  const serverPort = Number(new URL(server.origin).port);
  await using proxy = await startProxy(serverPort);
  using connections = proxy.connections;
  const write = async (name: string) => {
    const names = Array.from({ length: writesAtOnce }, (_, index) => `${name} ${index}`);
    const answers = await Promise.all(names.map((text) => connections.ask(addPet(text))));
    return answers.filter(({ httpStatus }) => httpStatus !== 201);
  };
  const failed: ConnectionAnswer[] = [];
  for (let aim = 0; aim < aims; aim += 1) {
    const before = await openIdle(serverPort);
    failed.push(...(await write(`Before ${aim}`)));
    const after = await openIdle(serverPort);
    await Promise.race([before.closing, after.closing]);
    failed.push(...(await write(`At the moment ${aim}`)));
  }
  await server.stop('SIGTERM');
  const { httpStatus, body } = failed[0] ?? { httpStatus: 0, body: '' };
  return {
    figures: [`${aims * writesAtOnce} writes at that moment, ${failed.length} not acknowledged`],
    broken: failed.length === 0 ? [] : [`${failed.length} writes got ${httpStatus} ${body}`.trim()],
  };
}

async function startOneNginx(serverPort: number): Promise<Proxy> {
  const nginx = await startPublishedNginx(serverPort);
  return { ...nginx, connections: openConnections(nginx.tlsPort, tlsOf(nginx)) };
}

/** Opens connections that nothing is sent over, and tells when the server closes the first of them. */
async function openIdle(port: number): Promise<{ closing: Promise<void> }> {
  const { promise: closing, resolve } = Promise.withResolvers<void>();
  const socket = { data() {}, close: () => resolve() };
  for (let opened = 0; opened < idleConnections; opened += 100) {
    const connecting = () => Bun.connect({ hostname: '127.0.0.1', port, socket });
    await Promise.all(Array.from({ length: 100 }, connecting));
  }
  return { closing };
}
