import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers, countAcknowledged, seconds, type Told } from './compare-answers.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { loadOf, sqliteDataIn } from './sqlite-rig.ts';

const roundsEveryDay = 200;
const roundsOnDemand = 2000;
const readyMillisecondsMax = 2000;

export const kill: Fault = {
  name: 'kill',
  title: 'server killed (SIGKILL) while it writes, and started again, on one file of data',
  promise:
    'No acknowledged animal is lost, none is stored twice, no id is given out twice, and the server is ready again within 2 s.',
  run,
};

async function run({ long }: FaultOptions): Promise<FaultOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  using folder = makeTemporaryFolder();
  const store = sqliteDataIn(folder.path);
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
  const wrong = compareAnswers(told, store.readAnimals());
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
