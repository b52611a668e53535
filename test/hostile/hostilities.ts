import { filterMemoryHostility } from './filter-memory.ts';
import type { Hostility } from './hostility.ts';
import { keyMemoryHostility } from './key-memory.ts';
import { keyTimingHostilities } from './key-timing.ts';
import { mutationHostility } from './mutations.ts';
import { schemaHostility } from './schema.ts';
import { proxyHostilities } from './through-proxy.ts';

/** Everything that takes too long for `npm test`, in the order in which it runs and is told of. */
export const hostilities: readonly Hostility[] = [
  ...proxyHostilities,
  mutationHostility,
  schemaHostility,
  ...keyTimingHostilities,
  keyMemoryHostility,
  filterMemoryHostility,
];
