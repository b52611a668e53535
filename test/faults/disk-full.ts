import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareAnswers, createAnswerLog } from './compare-answers.ts';
import { sqliteDatabaseIn } from './databases.ts';
import { acknowledgedFigure, overLimits, seconds } from './figures.ts';
import { startLoad } from './load.ts';
import type { LongTest, TestOutcome } from './long-test.ts';
import { missingForMemoryMounts, mountMemory } from './mounts.ts';
import { addAnimal, request } from './requests.ts';

const refusalMillisecondsMax = 1000;
const recoveryMillisecondsMax = 1000;
/** Much longer than it takes to fill 8 MB. */
const fillingMillisecondsMax = 30_000;
/** Of the writes while the disk is full. */
const smallMax = 10;

export const diskFull: LongTest = {
  name: 'disk-full',
  title: 'disk full, then freed',
  missing: missingForMemoryMounts,
  run,
};

async function run(): Promise<TestOutcome> {
  using mount = mountMemory(8 * 2 ** 20);
  const { folder } = mount;
  const ballast = join(folder, 'ballast');
  writeFileSync(ballast, Buffer.alloc(3 * 2 ** 20));
  const database = sqliteDatabaseIn(folder);
  const broken = new Set<string>();
  await using server = await database.start();
  const filling = startLoad(server, 16, 1, 'Filling');
  const fillingEndsAt = performance.now() + fillingMillisecondsMax;
  while (filling.refused.size < 100 && performance.now() < fillingEndsAt) await Bun.sleep(10);
  await filling.stop();
  if (filling.refused.size === 0) broken.add('no write was refused on the full disk');

  let longestRefusal = 0;
  // A single animal may fit into the log when a group of animals does not.
  const small = createAnswerLog();
  for (let count = 0; count < 20; count += 1) {
    const name = `Full ${count}`;
    const { httpStatus, startedAt, endedAt } = await addAnimal(server.origin, name);
    longestRefusal = Math.max(longestRefusal, endedAt - startedAt);
    if (httpStatus === 201) small.unknown.add(name);
    else if (httpStatus !== 503) broken.add(`a write got ${httpStatus} while the disk was full`);
    const list = await request(`${server.origin}/v1/pets`);
    if (list.httpStatus !== 200)
      broken.add(`a read got ${list.httpStatus} while the disk was full`);
  }

  rmSync(ballast);
  const freedAt = performance.now();
  const after = startLoad(server, 16, 1, 'After');
  const recovery = (await after.recovered(freedAt)) - freedAt;
  await after.stop();
  await server.stop('SIGTERM');
  const answers = [filling, after, small];
  const { size } = small.unknown;
  if (size > smallMax) broken.add(`${size} writes were done while the disk was full`);
  const wrong = compareAnswers(answers, database.readAnimals());
  return {
    figures: [
      acknowledgedFigure(answers, wrong),
      `longest refusal ${seconds(longestRefusal)}`,
      `writes worked again after ${seconds(recovery)}`,
    ],
    broken: [...wrong, ...broken],
    late: overLimits(
      ['a refusal took', longestRefusal, refusalMillisecondsMax],
      ['writes worked again after', recovery, recoveryMillisecondsMax],
    ),
  };
}
