import { Client } from 'pg';
import {
  newerPgbouncerIsMissing,
  type Pgbouncer,
  pgbouncerIsMissing,
  startPgbouncer,
} from '../support/pgbouncer.ts';
import { administer } from '../support/postgres.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { startStandby } from '../support/postgres-standby.ts';
import { startBlackHole } from './black-hole.ts';
import type { PostgresDatabase } from './databases.ts';
import type { LongTest } from './long-test.ts';
import { type PostgresFault, runPostgresFault } from './postgres-load.ts';
import { runUnknownOutcomes } from './unknown-outcomes.ts';

const freezeMilliseconds = 6000;

type Row = readonly [name: string, title: string, fault: PostgresFault];

const rows: readonly Row[] = [
  [
    'postgres-immediate-stop',
    'PostgreSQL stopped immediately (SIGQUIT) and started again',
    { cause: (database) => restart(database, 'SIGQUIT') },
  ],
  [
    'postgres-kill',
    'main process of PostgreSQL killed (SIGKILL) and started again',
    { cause: (database) => restart(database, 'SIGKILL') },
  ],
  [
    'postgres-kill-backend',
    'one backend process of PostgreSQL killed (SIGKILL), after which PostgreSQL restarts itself',
    {
      async cause({ sql }) {
        const [backend] = await sql(
          `SELECT pid FROM pg_stat_activity WHERE application_name = 'animal-store' LIMIT 1`,
        );
        process.kill(Number(backend?.pid), 'SIGKILL');
      },
    },
  ],
  [
    'postgres-terminate-backends',
    'all connections ended by pg_terminate_backend, five times',
    {
      async cause({ sql }) {
        for (let round = 0; round < 5; round += 1) {
          await sql(terminateOurs);
          await Bun.sleep(200);
        }
      },
    },
  ],
  [
    'postgres-freeze',
    'PostgreSQL frozen (SIGSTOP) for 6 s',
    {
      async cause({ postgres }) {
        const pids = processesOf(postgres);
        for (const pid of pids) signal(pid, 'SIGSTOP');
        await Bun.sleep(freezeMilliseconds);
        for (const pid of pids) signal(pid, 'SIGCONT');
      },
    },
  ],
  [
    'postgres-connections-used',
    'all connections of PostgreSQL used by other clients for 3 s',
    {
      cause: takeAllConnections,
      start: () => startPostgresServer({ flags: ['max_connections=40'] }),
    },
  ],
];

export const postgresFaults: readonly LongTest[] = [
  ...rows.map(([name, title, fault]) => ({
    name,
    title,
    run: () => runPostgresFault(fault),
  })),
  {
    name: 'postgres-network-silence',
    title: 'network between server and PostgreSQL silent for 6 s',
    run: runNetworkSilence,
  },
  {
    name: 'postgres-failover',
    title: 'primary killed (SIGKILL) and its synchronous standby promoted',
    run: runFailover,
  },
  {
    name: 'pgbouncer-session-kill',
    title:
      'PgBouncer in session mode killed (SIGKILL) three times, then all its connections ended by PostgreSQL',
    missing: pgbouncerIsMissing,
    run: () => runPgbouncerKill('session'),
  },
  {
    name: 'pgbouncer-transaction-kill',
    title:
      'PgBouncer in transaction mode killed (SIGKILL) three times, then all its connections ended by PostgreSQL',
    missing: newerPgbouncerIsMissing,
    run: () => runPgbouncerKill('transaction'),
  },
  {
    name: 'postgres-unknown-outcome',
    title:
      'connection to PostgreSQL broken at each step of a transaction, and the request repeated',
    isPatient: true,
    run: runUnknownOutcomes,
  },
];

async function runNetworkSilence() {
  await using holes = new AsyncDisposableStack();
  let hole: ReturnType<typeof startBlackHole> | undefined;
  return await runPostgresFault({
    async cause() {
      hole?.swallow(true);
      await Bun.sleep(freezeMilliseconds);
      hole?.swallow(false);
    },
    urlFor({ url, postgres: { port } }) {
      hole = holes.use(startBlackHole(port));
      return url.replace(`:${port}`, `:${hole.port}`);
    },
  });
}

async function runPgbouncerKill(mode: 'session' | 'transaction') {
  await using poolers = new AsyncDisposableStack();
  let pooler: Pgbouncer | undefined;
  return await runPostgresFault({
    async cause({ sql }) {
      for (let round = 0; round < 3; round += 1) {
        await pooler?.crash();
        await Bun.sleep(200);
      }
      await sql(terminateOurs);
    },
    async urlFor({ url, postgres }) {
      pooler = poolers.use(await startPgbouncer(postgres, mode, { isNewer: true }));
      return url.replace(`:${postgres.port}`, `:${pooler.port}`);
    },
  });
}

async function runFailover() {
  await using stack = new AsyncDisposableStack();
  let standby: PostgresServer | undefined;
  return await runPostgresFault({
    async cause({ postgres }) {
      await postgres.end('SIGKILL');
      await administer(standby?.url ?? '', 'SELECT pg_promote()');
    },
    async start() {
      const flags = ['synchronous_standby_names=*', 'synchronous_commit=on'];
      const primary = await startPostgresServer({ flags });
      standby = stack.use(await startStandby(primary));
      return primary;
    },
    urlFor: ({ postgres }) => `${postgres.url},127.0.0.1:${standby?.port}/postgres`,
    survivor: () => standby,
  });
}

const terminateOurs = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'animal-store'`;

async function restart({ postgres }: PostgresDatabase, ending: NodeJS.Signals): Promise<void> {
  await postgres.end(ending);
  await Bun.sleep(1000);
  await postgres.start();
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // A short-lived process of PostgreSQL that has ended.
  }
}

/** Opens all free connections, ends those of the service, and keeps all of them for a while. */
async function takeAllConnections({ url, sql }: PostgresDatabase): Promise<void> {
  const clients: Client[] = [];
  async function takeRest(): Promise<void> {
    for (;;) {
      const client = new Client({ connectionString: url });
      client.on('error', () => {});
      try {
        await client.connect();
      } catch {
        return;
      }
      clients.push(client);
    }
  }
  await takeRest();
  await clients[0]?.query(terminateOurs);
  const until = performance.now() + 3000;
  while (performance.now() < until) {
    await takeRest();
    await Bun.sleep(10);
  }
  await Promise.all(clients.map((client) => client.end()));
  await sql('SELECT 1');
}

/** The main process of a PostgreSQL server and its children. */
function processesOf({ pid: main }: PostgresServer): number[] {
  const { stdout } = Bun.spawnSync(['pgrep', '-P', String(main)]);
  const children = stdout.toString().match(/\d+/g) ?? [];
  return [main, ...children.map(Number)];
}
