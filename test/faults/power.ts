import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareAnswers, countAcknowledged, type Told } from './compare-answers.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { type FileSystem, missingForMounts, mountLoop } from './mounts.ts';
import { loadOf, sqliteDataIn } from './sqlite-rig.ts';

const roundsEveryDay = 30;
const roundsOnDemand = 500;
const roundsPerFile = 5;

/** The power cuts, on each file system that Linux servers mostly use. */
export const powerCuts: readonly Fault[] = (['ext4', 'xfs'] as const).map((fileSystem) => ({
  name: `power-${fileSystem}`,
  title: `power cut while the server writes, on ${fileSystem}`,
  promise: 'No acknowledged animal is lost, and no id is given out twice.',
  missing: () => missingForMounts(fileSystem),
  run: (options) => run(fileSystem, options),
}));

async function run(fileSystem: FileSystem, { long }: FaultOptions): Promise<FaultOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  using mount = mountLoop(fileSystem, 512);
  const broken = new Set<string>();
  let acknowledged = 0;
  // A new file now and then: the first moments of one are the most delicate.
  for (let first = 0; first < rounds; first += roundsPerFile) {
    const folder = join(mount.folder, String(first));
    mkdirSync(folder);
    const store = sqliteDataIn(folder);
    const told: Told[] = [];
    for (let round = first; round < Math.min(first + roundsPerFile, rounds); round += 1) {
      await using server = await store.start();
      const load = loadOf(server, 16, 1, `Round ${round}`);
      told.push(load);
      await Bun.sleep(30 + (round % 10) * 20);
      load.disbelieve();
      await mount.cutPower(async () => {
        const stopped = load.stop();
        await server.stop('SIGKILL');
        await stopped;
      });
    }
    for (const line of compareAnswers(told, store.readAnimals())) broken.add(line);
    acknowledged += countAcknowledged(told);
  }
  return {
    figures: [
      `${rounds} cuts`,
      `${acknowledged} acknowledged, ${broken.size === 0 ? 'none lost' : [...broken].join(', ')}`,
    ],
    broken: [...broken],
  };
}
