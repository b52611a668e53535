import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { administer } from '../support/postgres.ts';
import { owner, type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { startBlackHole } from './black-hole.ts';
import type { Fault } from './fault.ts';
import { type PostgresRig, processesOf, runPostgresFault } from './postgres-rig.ts';
import { runUnknownOutcomes } from './unknown-outcomes.ts';

const hangMilliseconds = 6000;

const promise =
  'No acknowledged animal is lost and none is stored twice; every request is answered within 5 s, with nothing but ' +
  '503 meanwhile; all is well within 2 s after the fault has ended; no server ends.';

export const postgresFaults: readonly Fault[] = [
  {
    name: 'postgres-immediate-stop',
    title: 'PostgreSQL stopped at once (SIGQUIT) and started again',
    promise,
    run: () => runPostgresFault((rig) => restart(rig, 'SIGQUIT')),
  },
  {
    name: 'postgres-kill',
    title: 'PostgreSQL’s owning process killed (SIGKILL) and started again',
    promise,
    run: () => runPostgresFault((rig) => restart(rig, 'SIGKILL')),
  },
  {
    name: 'postgres-kill-backend',
    title: 'one of PostgreSQL’s processes killed (SIGKILL), upon which it restarts itself',
    promise,
    run: () =>
      runPostgresFault(async ({ sql }) => {
        const [backend] = await sql(
          `SELECT pid FROM pg_stat_activity WHERE application_name = 'animal-store' LIMIT 1`,
        );
        process.kill(Number(backend?.pid), 'SIGKILL');
      }),
  },
  {
    name: 'postgres-terminate',
    title: 'all connections ended by pg_terminate_backend, five times',
    promise,
    run: () =>
      runPostgresFault(async ({ sql }) => {
        for (let round = 0; round < 5; round += 1) {
          await sql(terminateOurs);
          await Bun.sleep(200);
        }
      }),
  },
  {
    name: 'postgres-hang',
    title: 'PostgreSQL frozen (SIGSTOP) for 6 s',
    promise,
    run: () =>
      runPostgresFault(async ({ postgres }) => {
        const pids = processesOf(postgres);
        for (const pid of pids) signal(pid, 'SIGSTOP');
        await Bun.sleep(hangMilliseconds);
        for (const pid of pids) signal(pid, 'SIGCONT');
      }),
  },
  {
    name: 'postgres-connections',
    title: 'all connections of PostgreSQL taken by others for 3 s',
    promise,
    run: () =>
      runPostgresFault(takeAllConnections, {
        start: () => startPostgresServer({ flags: ['max_connections=40'] }),
      }),
  },
  {
    name: 'postgres-network',
    title: 'network between server and PostgreSQL silent for 6 s',
    promise,
    run: async () => {
      await using holes = new AsyncDisposableStack();
      let hole: ReturnType<typeof startBlackHole> | undefined;
      return await runPostgresFault(
        async () => {
          hole?.swallow(true);
          await Bun.sleep(hangMilliseconds);
          hole?.swallow(false);
        },
        {
          urlFor: ({ url, port }) => {
            hole = holes.use(startBlackHole(port));
            return `${url.replace(`:${port}`, `:${hole.port}`)}/postgres`;
          },
        },
      );
    },
  },
  {
    name: 'postgres-failover',
    title: 'primary killed (SIGKILL), its synchronous standby promoted',
    promise,
    run: async () => {
      await using stack = new AsyncDisposableStack();
      let standby: PostgresServer | undefined;
      return await runPostgresFault(
        async ({ postgres }) => {
          await postgres.end('SIGKILL');
          await administer(standby?.url ?? '', 'SELECT pg_promote()');
        },
        {
          start: async () => {
            const primary = await startPostgresServer({
              flags: ['synchronous_standby_names=*', 'synchronous_commit=on'],
            });
            standby = stack.use(await startStandby(primary));
            return primary;
          },
          urlFor: ({ url }) => `${url},127.0.0.1:${standby?.port}/postgres`,
          survivor: () => standby as PostgresServer,
        },
      );
    },
  },
  {
    name: 'postgres-unknown-outcome',
    title:
      'the connection to PostgreSQL broken at each step of a transaction, and the animal asked for again',
    promise:
      'An animal asked for again with the same Idempotency-Key after an unknown outcome is stored exactly once.',
    run: runUnknownOutcomes,
  },
];

const terminateOurs = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'animal-store'`;

async function restart({ postgres }: PostgresRig, ending: NodeJS.Signals): Promise<void> {
  await postgres.end(ending);
  await Bun.sleep(1000);
  await postgres.start();
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // A short-lived process of PostgreSQL's that is gone.
  }
}

/** Fills the server with connections of ours, ends those of the service, and keeps all places for a while. */
async function takeAllConnections({ postgres, sql }: PostgresRig): Promise<void> {
  const clients: Client[] = [];
  async function takeRest(): Promise<void> {
    for (;;) {
      const client = new Client({ connectionString: `${postgres.url}/postgres` });
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

/** A second server that follows the first and confirms each of its commits. */
async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const folder = `${primary.folder}-standby`;
  const client = new Client({ connectionString: `${primary.url}/postgres` });
  await client.connect();
  // The backup belongs to its session, which must stay open for as long as files are copied.
  await client.query("SELECT pg_backup_start('standby', true)");
  cpSync(primary.folder, folder, {
    recursive: true,
    filter: (path) => !/postmaster\.(?:pid|opts)$|pg_wal\/./.test(path),
  });
  const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  writeFileSync(join(folder, 'backup_label'), rows[0].labelfile);
  writeFileSync(join(folder, 'standby.signal'), '');
  const { uid, gid } = owner();
  if (uid !== undefined) Bun.spawnSync(['chown', '-R', `${uid}:${gid}`, folder]);
  return await startPostgresServer({
    folder,
    flags: [`primary_conninfo=${primary.url}`, 'synchronous_standby_names='],
  });
}
