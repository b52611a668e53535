import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from '../children.ts';
import { runSql } from '../servers/postgres.ts';
import type { Workbench } from '../workbench.ts';

/** Clients at once; the best of them is what our server is compared with. */
export const clientCounts = [1, 4, 8, 16, 32, 64] as const;

/** Inserts animals one by one, each in a commit of its own, as fast as PostgreSQL takes them. */
export interface SingleInserts {
  /** What sends them. */
  readonly program: string;
  /** As many as PostgreSQL takes from so many clients at once. */
  insert(clients: number, seconds: number): Promise<{ rows: number; rowsPerSecond: number }>;
}

/** Of the same shape as the animals of our service, with ids as one would take them by default. */
const createTable = `
  CREATE TABLE inserted (LIKE animal_store.pets INCLUDING ALL);
  CREATE SEQUENCE inserted_id;
  ALTER TABLE inserted ALTER COLUMN id SET DEFAULT nextval('inserted_id')`;

const pgbenchScript = `INSERT INTO inserted (workspace_id, name, category_id, status)
VALUES (1, :name, :category_id, :status);
`;

const ownProgramPath = join(import.meta.dir, 'insert-singly.ts');

/** Takes pgbench where the machine has it, and else a program of ours. Our tables must be there already. */
export async function prepareSingleInserts(
  { folder, pinning, note }: Workbench,
  databaseUrl: string,
): Promise<SingleInserts> {
  await runSql(databaseUrl, createTable);
  const pgbench = findPgbench();
  if (pgbench === undefined) {
    note(
      'This machine has no pgbench (Debian: postgresql): single inserts came from a program of ours, which sends fewer.',
    );
  }
  const scriptPath = join(folder, 'insert.sql');
  writeFileSync(scriptPath, pgbenchScript);

  function command(clients: number, seconds: number): readonly string[] {
    if (pgbench === undefined) {
      return [process.execPath, ownProgramPath, databaseUrl, `${clients}`, `${seconds}`];
    }
    return [
      ...[pgbench, '--no-vacuum', '--protocol=prepared', `--file=${scriptPath}`],
      ...['--define=name=Fluffy', '--define=category_id=7', '--define=status=available'],
      ...[`--client=${clients}`, `--time=${seconds}`, databaseUrl],
    ];
  }

  return {
    program: pgbench === undefined ? 'a program of ours with pg' : await nameOf(pgbench),
    async insert(clients, seconds) {
      // It takes the place of our server, on its core.
      const child = await runChild(command(clients, seconds), { cores: pinning.server });
      const { stdout } = child.output();
      const rows = /^number of transactions actually processed: (\d+)/m.exec(stdout)?.[1];
      const rowsPerSecond = /^tps = ([\d.]+)/m.exec(stdout)?.[1];
      if (rows === undefined || rowsPerSecond === undefined) {
        throw new Error('The program of inserts told no result');
      }
      return { rows: Number(rows), rowsPerSecond: Number(rowsPerSecond) };
    },
  };
}

/** Debian puts a script in the PATH, and the newest program elsewhere. */
function findPgbench(): string | undefined {
  const installed = [...new Bun.Glob('*/bin/pgbench').scanSync('/usr/lib/postgresql')];
  const [newest] = installed.toSorted(
    (left, right) => Number.parseInt(right, 10) - Number.parseInt(left, 10),
  );
  return newest === undefined
    ? (Bun.which('pgbench') ?? undefined)
    : join('/usr/lib/postgresql', newest);
}

async function nameOf(pgbench: string): Promise<string> {
  const child = await runChild([pgbench, '--version']);
  return `pgbench ${/\(PostgreSQL\) ([\d.]+)/.exec(child.output().stdout)?.[1] ?? ''}`.trim();
}
