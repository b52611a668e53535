import type { Fault } from './fault.ts';
import { postgresFaults } from './postgres-faults.ts';

/** Every fault, in the order in which they run and are told of. */
export const faults: readonly Fault[] = [...postgresFaults];
