import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { explore, repeat } from './operator-actions/explore.ts';
import { makeTemplates } from './operator-actions/templates.ts';

const seedDefault = 1;
const sequencesEveryDay = 15;
const sequencesOnDemand = 500;

/** Runs only the sequence of one finding, by the text that names it, such as `1/7/0:3`. */
const repeated = process.env.ANIMAL_STORE_TEST_SEQUENCE;

export const operatorActions: LongTest = {
  name: 'operator-actions',
  title:
    'random sequences of up to eight actions of an operator: kill, move, copy, link, restore, start a second server, empty, cut and overwrite files',
  isPatient: true,
  run,
};

async function run({ long }: TestOptions): Promise<TestOutcome> {
  using folder = makeTemporaryFolder();
  const templates = await makeTemplates(folder.path);
  const sequences = long ? sequencesOnDemand : sequencesEveryDay;
  // Always the same sequences, but other ones on each day of long runs.
  const seed = long ? Math.floor(Date.now() / 86_400_000) : seedDefault;
  const counts =
    repeated === undefined
      ? await explore(templates, seed, sequences)
      : await repeat(templates, repeated);
  return {
    figures: [
      `${sequences} sequences of seed ${seed}`,
      counts.length === 0 ? 'no findings' : `${counts.length} kinds of findings`,
    ],
    broken: counts.map(
      ({ kind, count, name, first }) =>
        `${kind} (${count} times; ANIMAL_STORE_TEST_SEQUENCE=${name}): ${[...first.steps, first.text].join(' | ').replaceAll('\n', ' ')}`,
    ),
  };
}
