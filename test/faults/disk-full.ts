import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareAnswers, countAcknowledged, seconds } from './compare-answers.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { missingForMemoryMounts, mountMemory } from './mounts.ts';
import { addOne, authorization, loadOf, sqliteDataIn } from './sqlite-rig.ts';

const refusalMillisecondsMax = 1000;
const resumptionMillisecondsMax = 1000;
/** Far longer than it takes to fill 8 MB. */
const fillingMillisecondsMax = 30_000;
/** Of the writes while the disk is full. */
const smallMax = 10;

export const diskFull: Fault = {
  name: 'disk-full',
  title: 'disk full, and freed again',
  promise:
    'While the disk is full, a write gets 503 within 1 s and reads go on; within 1 s after room was made, writes go on ' +
    'without a restart. No acknowledged animal is lost.',
  missing: missingForMemoryMounts,
  run,
};

async function run(): Promise<FaultOutcome> {
  using mount = mountMemory(8 * 2 ** 20);
  const { folder } = mount;
  const ballast = join(folder, 'ballast');
  writeFileSync(ballast, Buffer.alloc(3 * 2 ** 20));
  const store = sqliteDataIn(folder);
  const broken = new Set<string>();
  const late: string[] = [];
  await using server = await store.start();
  const filling = loadOf(server, 16, 1, 'Filling');
  const fillingEndsAt = performance.now() + fillingMillisecondsMax;
  while (filling.refused.size < 100 && performance.now() < fillingEndsAt) await Bun.sleep(10);
  await filling.stop();
  if (filling.refused.size === 0) broken.add('nothing was refused, however full the disk');

  let longestRefusal = 0;
  // Where a group was too large, an animal alone may still find room in the log.
  const small = new Set<string>();
  for (let count = 0; count < 20; count += 1) {
    const before = performance.now();
    const name = `Full ${count}`;
    const httpStatus = await addOne(server.origin, name);
    longestRefusal = Math.max(longestRefusal, performance.now() - before);
    if (httpStatus === 201) small.add(name);
    else if (httpStatus !== 503) broken.add(`a write got ${httpStatus} while the disk was full`);
    const list = await fetch(`${server.origin}/v1/pets`, { headers: authorization });
    if (list.status !== 200) broken.add(`a read got ${list.status} while the disk was full`);
    await list.arrayBuffer();
  }
  if (longestRefusal > refusalMillisecondsMax) {
    late.push(`a refusal took ${seconds(longestRefusal)}`);
  }

  rmSync(ballast);
  const freedAt = performance.now();
  const after = loadOf(server, 16, 1, 'After');
  const resumed = (await after.recovered(freedAt)) - freedAt;
  if (resumed > resumptionMillisecondsMax) late.push(`writes went on after ${seconds(resumed)}`);
  await after.stop();
  await server.stop('SIGTERM');
  const told = [
    filling,
    after,
    { acknowledged: new Map(), unknown: small, refused: new Set<string>() },
  ];
  if (small.size > smallMax) broken.add(`${small.size} writes were done while the disk was full`);
  const wrong = compareAnswers(told, store.readAnimals());
  return {
    figures: [
      `${countAcknowledged(told)} acknowledged, ${wrong.length === 0 ? 'none lost' : wrong.join(', ')}`,
      `longest refusal ${seconds(longestRefusal)}`,
      `writes went on after ${seconds(resumed)}`,
    ],
    broken: [...wrong, ...broken],
    late,
  };
}
