import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { type AnswerLog, compareAnswers, createAnswerLog } from './compare-answers.ts';
import { sqliteDatabaseIn } from './databases.ts';
import { acknowledgedFigure, overLimits, seconds } from './figures.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { createIoFaults, type IoFault, type IoFaults, missingForPreload } from './preload.ts';
import { addAnimal } from './requests.ts';

const answerMillisecondsMax = 5000;
/** More calls than a run of this test makes. */
const callsMax = 500;

export const ioErrors: LongTest = {
  name: 'io-errors',
  title:
    'the n-th write or flush of the database file fails, for every n: once, or that one and all later ones',
  isPatient: true,
  missing: missingForPreload,
  run,
};

async function run({ long }: TestOptions): Promise<TestOutcome> {
  using tools = makeTemporaryFolder();
  const faults = createIoFaults(tools.path);
  const broken = new Set<string>();
  let places = 0;
  const logs: AnswerLog[] = [];
  let longest = 0;
  for (const effect of ['FAILS', 'LASTS'] as const) {
    for (let at = 1; at < callsMax; at += long ? 1 : 7) {
      const result = await runWithError(faults, { at, effect });
      if (!result.wasReached) break;
      places += 1;
      logs.push(result.log);
      longest = Math.max(longest, result.longestMilliseconds);
      for (const line of result.broken) broken.add(line);
    }
  }
  if (places === 0) broken.add('the fault did not reach the server');
  return {
    figures: [
      `${places} places, ${acknowledgedFigure(logs, broken)}`,
      `longest answer ${seconds(longest)}`,
    ],
    broken: [...broken],
    late: overLimits(['an answer took', longest, answerMillisecondsMax]),
  };
}

async function runWithError(faults: IoFaults, fault: IoFault) {
  using folder = makeTemporaryFolder();
  const database = sqliteDatabaseIn(folder.path);
  const log = createAnswerLog();
  let longestMilliseconds = 0;
  try {
    await using server = await database.start({ env: faults.env(fault) });
    for (const name of ['One', 'Two', 'Three']) {
      const answer = await addAnimal(server.origin, name);
      longestMilliseconds = Math.max(longestMilliseconds, answer.endedAt - answer.startedAt);
      log.add(name, answer);
    }
    await server.stop('SIGTERM');
  } catch {
    // The server may refuse to start on a failing disk. That breaks no promise.
  }
  const broken: string[] = [];
  const wasReached = faults.wasReached();
  if (wasReached) {
    // A server without the fault must find every acknowledged animal.
    const server = await database.start();
    await server.stop('SIGTERM');
    broken.push(...compareAnswers([log], database.readAnimals()));
  }
  return { wasReached, log, broken, longestMilliseconds };
}
