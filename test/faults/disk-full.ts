import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { run } from './mounts.ts';
import { countAcknowledged, reckon, seconds } from './reckoning.ts';
import { addOne, authorization, loadOf, sqliteStoreIn } from './sqlite-rig.ts';

const refusalMillisecondsMax = 1000;
const resumptionMillisecondsMax = 1000;

export const diskFull: Fault = {
  name: 'disk-full',
  title: 'disk full, and freed again',
  promise:
    'While the disk is full, a write gets 503 within 1 s and reads go on; within 1 s after room was made, writes go on ' +
    'without a restart. No acknowledged animal is lost.',
  missing: () =>
    process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'needs root on Linux',
  run: runDiskFull,
};

async function runDiskFull(): Promise<FaultOutcome> {
  using outer = makeTemporaryFolder();
  const folder = join(outer.path, 'mount');
  mkdirSync(folder);
  run('mount', '-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder);
  try {
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(3 * 2 ** 20));
    return await fillAndFree(folder, ballast);
  } finally {
    run('umount', folder);
  }
}

async function fillAndFree(folder: string, ballast: string): Promise<FaultOutcome> {
  const store = sqliteStoreIn(folder);
  const broken: string[] = [];
  await using server = await store.start();
  const filling = loadOf(server, 16, 1, 'Filling');
  while (filling.refused.size < 100) await Bun.sleep(10);
  await filling.stop();

  let longestRefusal = 0;
  for (let count = 0; count < 20; count += 1) {
    const before = performance.now();
    const httpStatus = await addOne(server.origin, `Full ${count}`);
    longestRefusal = Math.max(longestRefusal, performance.now() - before);
    if (httpStatus !== 503) broken.push(`a write got ${httpStatus} while the disk was full`);
    const list = await fetch(`${server.origin}/v1/pets`, { headers: authorization });
    if (list.status !== 200) broken.push(`a read got ${list.status} while the disk was full`);
    await list.arrayBuffer();
  }
  if (longestRefusal > refusalMillisecondsMax) {
    broken.push(`a refusal took ${seconds(longestRefusal)}`);
  }

  rmSync(ballast);
  const freedAt = performance.now();
  const after = loadOf(server, 16, 1, 'After');
  const resumed = (await after.recovered(freedAt)) - freedAt;
  if (resumed > resumptionMillisecondsMax) broken.push(`writes went on after ${seconds(resumed)}`);
  await after.stop();
  await server.stop('SIGTERM');
  const told = [filling, after];
  broken.push(...reckon(told, store.readAnimals()));
  return {
    figures: [
      `${countAcknowledged(told)} acknowledged, ${broken.length === 0 ? 'none lost' : broken.join(', ')}`,
      `longest refusal ${seconds(longestRefusal)}`,
      `writes went on after ${seconds(resumed)}`,
    ],
    broken,
  };
}
