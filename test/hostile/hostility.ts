import type { Fault } from '../faults/fault.ts';

/** Something that strangers may do to the service, told and run like a fault. */
export type Hostility = Fault;
