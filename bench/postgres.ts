import { readCpuMicroseconds } from './cpu.ts';
import { animalStoreDialect as dialect } from './dialects.ts';
import { measureInTurns, type Target } from './measure.ts';
import { measureSeveralServers, severalServersTicks } from './postgres/several-servers.ts';
import { clientCounts, prepareSingleInserts } from './postgres/single-inserts.ts';
import type { PostgresResult } from './result.ts';
import { newPetBody } from './scenarios.ts';
import { startAnimalStore } from './servers/animal-store.ts';
import { type Postgres, startPostgres } from './servers/postgres.ts';
import { fillDatabase, type TestAnimals } from './test-animals.ts';
import type { Workbench } from './workbench.ts';
import type { Load } from './wrk.ts';

const list: Load = { kind: 'get', path: dialect.list() };
const create: Load = { kind: 'create', path: dialect.collection, body: newPetBody };

const listConnections = 32;
const busyConnections = 256;

/** One lone client, and many. */
const createConnections = [1, busyConnections] as const;

/** What our server does on PostgreSQL, beside the same on SQLite. Undefined where there is no PostgreSQL. */
export async function measurePostgres(
  workbench: Workbench,
  testAnimals: TestAnimals,
): Promise<PostgresResult | undefined> {
  await using postgres = await tryToStart(workbench);
  if (postgres === undefined) return undefined;
  const own = await postgres.createDatabase('own');
  const shared = await postgres.createDatabase('shared');
  for (const databaseUrl of [own, shared]) {
    await fillDatabase(workbench, databaseUrl, workbench.animals);
  }
  return {
    version: postgres.version,
    ...(await measureEngines(workbench, testAnimals, own, postgres.pid)),
    severalServers: await measureSeveralServers(workbench, { own, shared }, list, listConnections),
  };
}

/** How many rounds that is, for the progress bar. */
export function postgresTicks(pace: Workbench['pace']): number {
  const onEachEngine = 2 * (1 + createConnections.length);
  return pace.rounds * (onEachEngine + clientCounts.length) + severalServersTicks(pace);
}

async function tryToStart(workbench: Workbench): Promise<Postgres | undefined> {
  try {
    return await startPostgres(workbench);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    workbench.note(`Everything on PostgreSQL is left out. ${reason}`);
    return undefined;
  }
}

/** Our server on either engine, in turns; and what PostgreSQL takes without it, in the same turns. */
async function measureEngines(
  workbench: Workbench,
  testAnimals: TestAnimals,
  databaseUrl: string,
  databasePid: number,
): Promise<Pick<PostgresResult, 'list' | 'create' | 'singleInserts'>> {
  const { secondsPerRound } = workbench.pace;
  await using running = new AsyncDisposableStack();
  const start = async (name: string, url: string) => ({
    ...running.use(await startAnimalStore(workbench, { databaseUrl: url })),
    name,
  });
  const onPostgres = await start('PostgreSQL', databaseUrl);
  const onSqlite = await start('SQLite', testAnimals.copyDatabase());
  const under = (load: Load): Target[] => [
    { server: onPostgres, load, databasePid },
    { server: onSqlite, load },
  ];

  const inserts = await prepareSingleInserts(workbench, databaseUrl);
  const counts = clientCounts.map((clients) => ({
    clients,
    rowsPerSecond: [] as number[],
    databaseCpuMicrosecondsPerRow: [] as number[],
  }));
  async function insertSingly(connections: number): Promise<void> {
    if (connections !== busyConnections) return;
    for (const { clients, rowsPerSecond, databaseCpuMicrosecondsPerRow } of counts) {
      const cpuBefore = readCpuMicroseconds(databasePid);
      const inserted = await inserts.insert(clients, secondsPerRound);
      const cpuMicroseconds = readCpuMicroseconds(databasePid) - cpuBefore;
      rowsPerSecond.push(inserted.rowsPerSecond);
      databaseCpuMicrosecondsPerRow.push(cpuMicroseconds / inserted.rows);
      workbench.tick();
    }
  }
  return {
    list: await measureInTurns(workbench, under(list), [listConnections]),
    create: await measureInTurns(workbench, under(create), createConnections, insertSingly),
    singleInserts: { program: inserts.program, counts },
  };
}
