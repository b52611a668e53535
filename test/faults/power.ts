import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compareAnswers } from './compare-answers.ts';
import { sqliteDatabaseIn } from './databases.ts';
import { acknowledgedFigure } from './figures.ts';
import { type Load, startLoad } from './load.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { type FileSystem, missingForMounts, mountLoop } from './mounts.ts';

const roundsEveryDay = 15;
const roundsOnDemand = 500;
const roundsPerFile = 5;

/** One test for each file system that most Linux servers use. */
export const powerCuts: readonly LongTest[] = (['ext4', 'xfs'] as const).map((fileSystem) => ({
  name: `power-cut-${fileSystem}`,
  title: `power cut during writes, on ${fileSystem}`,
  missing: () => missingForMounts(fileSystem),
  run: (options) => run(fileSystem, options),
}));

async function run(fileSystem: FileSystem, { long }: TestOptions): Promise<TestOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  using mount = mountLoop(fileSystem, 512);
  const broken = new Set<string>();
  const all: Load[] = [];
  // Several files, because a new file is at the highest risk.
  for (let first = 0; first < rounds; first += roundsPerFile) {
    const folder = join(mount.folder, String(first));
    mkdirSync(folder);
    const database = sqliteDatabaseIn(folder);
    const answers: Load[] = [];
    for (let round = first; round < Math.min(first + roundsPerFile, rounds); round += 1) {
      await using server = await database.start();
      const load = startLoad(server, 16, 1, `Round ${round}`);
      answers.push(load);
      await Bun.sleep(30 + (round % 10) * 20);
      load.distrustAnswers();
      await mount.cutPower(async () => {
        const stopped = load.stop();
        await server.stop('SIGKILL');
        await stopped;
      });
    }
    for (const line of compareAnswers(answers, database.readAnimals())) broken.add(line);
    all.push(...answers);
  }
  return {
    figures: [`${rounds} cuts`, acknowledgedFigure(all, broken)],
    broken: [...broken],
  };
}
