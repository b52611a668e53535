import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { administer } from '../../test/support/postgres.ts';
import { startChild } from '../children.ts';
import type { Workbench } from '../workbench.ts';

/** The PostgreSQL that npm brings. */
export interface Postgres extends AsyncDisposable {
  /** All its processes are descendants of this one. */
  readonly pid: number;
  /** Creates an empty database. Returns its `DATABASE_URL`. */
  createDatabase(name: string): Promise<string>;
}

const keeperPath = join(import.meta.dir, '../../test/support/postgres-keeper.ts');

/**
 * Starts it on the core of the load, with its data on the measured disk. It has its default settings, which flush every
 * commit. Our server refuses others.
 */
export async function startPostgres({ folder, pinning }: Workbench): Promise<Postgres> {
  await using starting = new AsyncDisposableStack();
  // If root starts it, it runs as another user, which needs access to its data in this folder.
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
  const running = starting.move();
  return {
    pid: child.pid,
    async createDatabase(name) {
      await administer(url, `CREATE DATABASE ${name}`);
      return `${url}/${name}`;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
