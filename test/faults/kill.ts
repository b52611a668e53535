import { administer } from '../support/postgres.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import {
  compareAnswers,
  countAcknowledged,
  type StoredAnimal,
  seconds,
  storedAnimalsQuery,
  type Told,
} from './compare-answers.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { apiKey, loadOf, sqliteDataIn } from './sqlite-rig.ts';

const roundsEveryDay = 100;
const roundsOnDemand = 2000;
const readyMillisecondsMax = 2000;

const promise =
  'No acknowledged animal is lost, none is stored twice, no id is given out twice, each has one event, and the server is ' +
  'ready again within 2 s.';

export const kills: readonly Fault[] = [
  {
    name: 'kill',
    title: 'server killed (SIGKILL) while it writes, and started again, on one file of data',
    promise,
    run: async (options) => {
      using folder = makeTemporaryFolder();
      return await run(options, sqliteDataIn(folder.path));
    },
  },
  {
    name: 'kill-on-postgres',
    title: 'the same on PostgreSQL, which goes on',
    promise,
    run: async (options) => {
      await using postgres = await startPostgresServer();
      const url = `${postgres.url}/postgres`;
      return await run(options, {
        start: () => startServerProcess(url, { env: { ANIMAL_STORE_API_KEY: apiKey } }),
        readAnimals: async () =>
          (await administer(
            postgres.url,
            storedAnimalsQuery('postgres'),
          )) as unknown as StoredAnimal[],
      });
    },
  },
];

interface Store {
  start(): Promise<ServerProcess>;
  readAnimals(): StoredAnimal[] | Promise<StoredAnimal[]>;
}

async function run({ long }: FaultOptions, store: Store): Promise<FaultOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  const told: Told[] = [];
  let longestStart = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = performance.now();
    await using server = await store.start();
    longestStart = Math.max(longestStart, performance.now() - before);
    const load = loadOf(server, 16, 1, `Round ${round}`);
    told.push(load);
    // From the very first write to one among thousands.
    await Bun.sleep((round % 20) * 5);
    const stopped = load.stop();
    await server.stop('SIGKILL');
    await stopped;
  }
  const wrong = compareAnswers(told, await store.readAnimals());
  const slow = longestStart > readyMillisecondsMax;
  return {
    figures: [
      `${rounds} kills`,
      `${countAcknowledged(told)} acknowledged, ${wrong.length === 0 ? 'none lost' : wrong.join(', ')}`,
      `ready again within ${seconds(longestStart)}`,
    ],
    broken: wrong,
    late: slow ? [`a start took ${seconds(longestStart)}`] : [],
  };
}
