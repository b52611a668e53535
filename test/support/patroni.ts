import { spawn } from 'node:child_process';
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcesses } from './folder-processes.ts';
import { findFreePort } from './free-port.ts';
import { configurationOf, type PatroniPorts, postgresPrograms } from './patroni-configuration.ts';
import { owner, type PostgresServer } from './postgres-server.ts';
import { isMissing } from './proxy-process.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The folder of a virtual environment of Python with Patroni. The user `postgres` must be able to read it. */
const environmentFolder = process.env.ANIMAL_STORE_TEST_PATRONI;

/** The first node creates its data, and the second one copies them. */
const readyMillisecondsMax = 40_000;
const etcdMillisecondsMax = 10_000;
const switchoverMillisecondsMax = 30_000;

/** The reason why Patroni cannot run on this machine, or undefined if it can. */
export function patroniIsMissing(): string | undefined {
  if (environmentFolder === undefined || !existsSync(join(environmentFolder, 'bin/patroni'))) {
    return 'ANIMAL_STORE_TEST_PATRONI does not name a folder with bin/patroni (PyPI: patroni[etcd3], psycopg2-binary)';
  }
  if (!existsSync(join(postgresPrograms, 'pg_rewind'))) {
    return `this machine has no ${postgresPrograms} (Debian: postgresql-15)`;
  }
  return isMissing('etcd', 'etcd-server');
}

/** A PostgreSQL server that Patroni runs. Its end is also that of its Patroni, as when a machine loses its power. */
export interface PatroniNode extends PostgresServer {
  readonly name: string;
  /** Returns whether Patroni answers that its server has this role. */
  hasRole(role: PatroniRole): Promise<boolean>;
}

/** Paths of the REST API of Patroni, which are 200 if the node has this role. */
type PatroniRole = 'primary' | 'sync';

export interface PatroniCluster extends AsyncDisposable {
  /** The roles at the start. */
  readonly leader: PatroniNode;
  readonly standby: PatroniNode;
  /** The address of both servers, with the name of the database. */
  readonly url: string;
  /** Makes the standby the leader. Returns when Patroni says that it is. */
  switchOver(): Promise<void>;
}

/** Starts etcd and two nodes, of which the second one confirms each commit of the first. */
export async function startPatroniCluster(): Promise<PatroniCluster> {
  await using stack = new AsyncDisposableStack();
  const etcdPort = await startEtcd(stack);
  const ports = { leader: newPorts(etcdPort), standby: newPorts(etcdPort) };
  const leader = stack.use(await startNode('first', ports.leader));
  await until(() => leader.hasRole('primary'), 'a leader', readyMillisecondsMax);
  const standby = stack.use(await startNode('second', ports.standby));
  await until(() => standby.hasRole('sync'), 'a synchronous standby', readyMillisecondsMax);
  const started = stack.move();
  return {
    leader,
    standby,
    url: `${leader.url},127.0.0.1:${standby.port}/postgres`,
    async switchOver() {
      const response = await fetch(`http://127.0.0.1:${ports.leader.rest}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: leader.name, candidate: standby.name }),
        signal: AbortSignal.timeout(switchoverMillisecondsMax),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`Patroni answered ${response.status} ${text}`);
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

function newPorts(etcd: number): PatroniPorts {
  return { etcd, postgres: findFreePort(), rest: findFreePort() };
}

/** Starts etcd, in which Patroni keeps who leads. Returns its port. */
async function startEtcd(stack: AsyncDisposableStack): Promise<number> {
  const folder = makeOwnedFolder(stack);
  const [port, peerPort] = [findFreePort(), findFreePort()];
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  stack.defer(() => endProcesses(folder, 'SIGKILL'));
  spawnAsOwner('etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ]);
  await until(() => isOk(`${client}/health`), 'etcd', etcdMillisecondsMax);
  return port;
}

async function startNode(name: string, ports: PatroniPorts): Promise<PatroniNode> {
  await using stack = new AsyncDisposableStack();
  const folder = makeOwnedFolder(stack);
  const configuration = join(folder, 'patroni.json');
  writeFileSync(configuration, JSON.stringify(configurationOf(name, folder, ports)));
  giveToOwner(configuration);
  const hasRole = (role: PatroniRole | 'health') => isOk(`http://127.0.0.1:${ports.rest}/${role}`);
  let patroniPid = 0;
  async function start(): Promise<void> {
    patroniPid = spawnAsOwner(join(environmentFolder ?? '', 'bin/patroni'), [configuration]);
    await until(() => hasRole('health'), `server of Patroni (${name})`, readyMillisecondsMax);
  }
  // After SIGQUIT, PostgreSQL frees its shared memory.
  stack.defer(() => endProcesses(folder, 'SIGQUIT', patroniPid));
  await start();
  const started = stack.move();
  return {
    name,
    url: `postgres://postgres:postgres@127.0.0.1:${ports.postgres}`,
    port: ports.postgres,
    folder,
    get pid() {
      return Number.parseInt(readFileSync(join(folder, 'data/postmaster.pid'), 'utf8'), 10);
    },
    start,
    end: (signal) => endProcesses(folder, signal, patroniPid),
    hasRole,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** PostgreSQL and Patroni refuse to run as root. Returns the process id. */
function spawnAsOwner(program: string, args: readonly string[]): number {
  const child = spawn(program, args, {
    ...owner(),
    stdio: 'ignore',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  return child.pid ?? 0;
}

function makeOwnedFolder(stack: AsyncDisposableStack): string {
  const { path } = stack.use(makeTemporaryFolder());
  giveToOwner(path);
  return path;
}

function giveToOwner(path: string): void {
  const { uid, gid } = owner();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

async function isOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function until(
  isReady: () => Promise<boolean>,
  what: string,
  millisecondsMax: number,
): Promise<void> {
  const deadline = performance.now() + millisecondsMax;
  while (!(await isReady())) {
    if (performance.now() > deadline) throw new Error(`no ${what} within ${millisecondsMax} ms`);
    await Bun.sleep(100);
  }
}
