import type { LongTest } from '../faults/long-test.ts';
import { commonjs } from './commonjs.ts';
import { generators } from './generators.ts';
import { recipes } from './recipes.ts';
import { runtimes } from './runtimes.ts';
import { streamLibraries } from './stream-libraries.ts';

/** The tests of the packed client and of other clients, in the order of the runs. */
export const clientTests: readonly LongTest[] = [
  ...runtimes,
  ...recipes,
  commonjs,
  streamLibraries,
  ...generators,
];
