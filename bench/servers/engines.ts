import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fillDatabase } from '../test-animals.ts';
import type { RunningServer, Workbench } from '../workbench.ts';
import { startAnimalStore } from './animal-store.ts';
import { startPostgres } from './postgres.ts';

/** Our server on one of its engines, with demo animals. */
export interface EngineServer extends RunningServer {
  readonly databaseUrl: string;
}

interface Engines extends AsyncDisposable {
  /** The first is on SQLite. */
  readonly servers: readonly EngineServer[];
}

/** Starts our server on SQLite and on PostgreSQL. Without PostgreSQL, it is noted as left out. */
export async function startEngines(
  workbench: Workbench,
  animals: number,
  serveArguments: readonly string[] = [],
): Promise<Engines> {
  await using starting = new AsyncDisposableStack();
  const servers = [starting.use(await startOnSqlite(workbench, animals, serveArguments))];
  try {
    servers.push(starting.use(await startOnPostgres(workbench, animals, serveArguments)));
  } catch (error) {
    workbench.note(`PostgreSQL is left out: ${error instanceof Error ? error.message : error}`);
  }
  const running = starting.move();
  return { servers, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function startOnSqlite(
  workbench: Workbench,
  animals: number,
  serveArguments: readonly string[],
): Promise<EngineServer> {
  const folder = mkdtempSync(join(workbench.folder, 'engine-'));
  const databaseUrl = `sqlite:${join(folder, 'animals.db')}`;
  await fillDatabase(workbench, databaseUrl, animals);
  return {
    ...(await startAnimalStore(workbench, { databaseUrl, arguments: serveArguments })),
    databaseUrl,
  };
}

/** Its own PostgreSQL starts and stops with it. */
export async function startOnPostgres(
  workbench: Workbench,
  animals: number,
  serveArguments: readonly string[] = [],
): Promise<EngineServer> {
  await using starting = new AsyncDisposableStack();
  const { pid, createDatabase } = starting.use(await startPostgres(workbench));
  const databaseUrl = await createDatabase('animals');
  await fillDatabase(workbench, databaseUrl, animals);
  const server = starting.use(
    await startAnimalStore(workbench, { databaseUrl, arguments: serveArguments }),
  );
  const running = starting.move();
  return {
    ...server,
    name: 'animal-store on PostgreSQL',
    databaseUrl,
    databasePid: pid,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
