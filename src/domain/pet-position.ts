import type { SortOrder } from './page.ts';
import { type Inventory, type PetStatus, petStatuses } from './pet.ts';
import type { Awaitable } from './values/awaitable.ts';
import type { Context } from './values/context.ts';
import type { Int64 } from './values/int64.ts';

/** A list whose number of animals is known: those of one status, or without a status all. */
export interface CountedPets {
  readonly workspaceId: Int64;
  readonly status?: PetStatus | undefined;
}

/** The number of animals of each status, with what shows whether they have changed since. */
export interface PetTotals extends Inventory {
  /** Changes with every change of the workspace. */
  readonly version: number;
  /** Rises with every changed animal, except those that `createPets` adds. */
  readonly head: number;
}

/** The number of animals in a list. */
export function countPets(totals: Inventory, { status }: CountedPets): number {
  if (status !== undefined) return totals[status];
  return petStatuses.reduce((sum, each) => sum + totals[each], 0);
}

/** A place between two animals of a list. Ids are numbers, because assigned ids are safe integers. */
interface NearbyPet {
  readonly sort: SortOrder;
  /** Ascending, the animals from this id on; descending, those below it. */
  readonly from: number;
  /** How many of them are passed. */
  readonly offset: number;
}

export interface PetPositionReads {
  /** Undefined if the workspace does not exist. It costs the same for any number of animals. */
  readPetTotals(context: Context, workspaceId: Int64): Awaitable<PetTotals | undefined>;
  /** The id of an animal some places away. The cost rises with `offset`. Undefined if the list ends before. */
  findNearbyPet(
    context: Context,
    pets: CountedPets,
    nearby: NearbyPet,
  ): Awaitable<number | undefined>;
  /** Every `step`th id after the animal with the id `from`, ascending. The cost rises with `step` and `limit`. */
  readPetMarks(
    context: Context,
    pets: CountedPets,
    marks: { readonly from: number; readonly step: number; readonly limit: number },
  ): Awaitable<readonly number[]>;
}
