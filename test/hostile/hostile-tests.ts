import type { LongTest } from '../faults/long-test.ts';
import { filterMemory } from './filter-memory.ts';
import { keyMemory } from './key-memory.ts';
import { keyTiming } from './key-timing.ts';
import { mutations } from './mutations.ts';
import { schemathesis } from './schemathesis.ts';

/** The tests with hostile input that take too long for `npm test`, in the order of the runs. */
export const hostileTests: readonly LongTest[] = [
  mutations,
  schemathesis,
  ...keyTiming,
  keyMemory,
  filterMemory,
];
