import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { startChild } from '../children.ts';
import type { Workbench } from '../workbench.ts';

/** The PostgreSQL that npm brings. */
export interface Postgres extends AsyncDisposable {
  readonly version: string;
  /** Every process of it is below this one. */
  readonly pid: number;
  /** Makes a database, empty; returns its `DATABASE_URL`. */
  createDatabase(name: string): Promise<string>;
}

const keeperPath = join(import.meta.dir, '../../test/support/postgres-keeper.ts');

/**
 * Starts it on the load's core, with its data on the disk to be measured. Its settings are left as they come: every
 * commit is flushed, and our server would refuse it otherwise.
 */
export async function startPostgres({ folder, pinning }: Workbench): Promise<Postgres> {
  await using starting = new AsyncDisposableStack();
  // Started by root, it runs as a user of its own, who has to get at its data in this folder.
  chmodSync(folder, 0o711);
  const child = starting.use(
    startChild([process.execPath, keeperPath], {
      cores: pinning.load,
      env: { TMPDIR: folder },
      stopsWithInput: true,
    }),
  );
  const ready = await child.find(/^(postgres:\S+)$/m);
  if (ready?.[1] === undefined) {
    throw new Error(`PostgreSQL did not start: ${child.output().stderr.trim()}`);
  }
  const url = ready[1];
  const ownersUrl = `${url}/postgres`;
  const [row] = await runSql(ownersUrl, 'SHOW server_version');
  const running = starting.move();
  return {
    version: `${row?.server_version}`,
    pid: child.pid,
    async createDatabase(name) {
      await runSql(ownersUrl, `CREATE DATABASE ${name}`);
      return `${url}/${name}`;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Runs statements on a connection of their own; returns the rows of the last. */
async function runSql(
  databaseUrl: string,
  sql: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return [await client.query(sql)].flat().at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}
