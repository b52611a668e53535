import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers, countAcknowledged, seconds, type Told } from './compare-answers.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { loadOf, sqliteDataIn } from './sqlite-rig.ts';

const roundsEveryDay = 100;
const roundsOnDemand = 1000;
const stopMillisecondsMax = 10_000;

export const stop: Fault = {
  name: 'stop',
  title: 'server told to stop (SIGTERM) under load, and started again',
  promise:
    'Every request that was taken is answered whole or, where it was not, refused; the server ends with 0 within 10 s.',
  run,
};

async function run({ long }: FaultOptions): Promise<FaultOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  using folder = makeTemporaryFolder();
  const store = sqliteDataIn(folder.path);
  const told: Told[] = [];
  const broken = new Set<string>();
  let longestStop = 0;
  for (let round = 0; round < rounds; round += 1) {
    await using server = await store.start();
    const load = loadOf(server, 16, 4, `Round ${round}`);
    told.push(load);
    await Bun.sleep(20 + (round % 10) * 5);
    const before = performance.now();
    const ended = server.stop('SIGTERM');
    const stopped = load.stop();
    const code = await ended;
    longestStop = Math.max(longestStop, performance.now() - before);
    await stopped;
    if (code !== 0) broken.add(`a server ended with ${code}`);
  }
  const stored = store.readAnimals();
  const names = new Set(stored.map(({ name }) => name));
  // What was stored was to be answered: an animal whose client heard nothing is an answer cut off.
  const cut = told.flatMap(({ unknown }) => [...unknown]).filter((name) => names.has(name));
  if (cut.length > 0) broken.add(`${cut.length} answers were cut off`);
  for (const line of compareAnswers(told, stored)) broken.add(line);
  return {
    figures: [
      `${rounds} stops`,
      `${countAcknowledged(told)} acknowledged, ${cut.length} answers cut off`,
      `ended within ${seconds(longestStop)}`,
    ],
    broken: [...broken],
    late: longestStop > stopMillisecondsMax ? [`a stop took ${seconds(longestStop)}`] : [],
  };
}
