import type { Command } from './command.ts';
import type { Page, PageRequest, SortOrder } from './page.ts';
import type { ChangeInput, RecordInput } from './record.ts';
import type { Awaitable } from './values/awaitable.ts';
import type { Context } from './values/context.ts';
import { exactInteger } from './values/exact-json.ts';
import type { Int64 } from './values/int64.ts';

export const petStatuses = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof petStatuses)[number];

/** How many animals there are of each status. */
export type Inventory = Readonly<Record<PetStatus, number>>;

/** Counts that start at zero. */
export function zeroCounts(): Record<PetStatus, number> {
  return { available: 0, pending: 0, sold: 0 };
}

/** The status of a new animal, unless given. */
export const defaultPetStatus: PetStatus = 'available';

export interface NewPet {
  readonly name: string;
  readonly categoryId: Int64;
  readonly status?: PetStatus | undefined;
}

export interface Pet extends NewPet {
  readonly id: Int64;
  readonly status: PetStatus;
}

/** Members that are absent stay as they are. */
export type PetChanges = {
  readonly [Member in keyof NewPet]?: NewPet[Member] | undefined;
};

/** An animal for `JSON.stringify`, with its members in the documented order. */
export function petToJson({ id, name, categoryId, status }: Pet): object {
  return { id: exactInteger(id), name, categoryId: exactInteger(categoryId), status };
}

/** A page of animals. Absent members do not restrict it. */
interface PetPageRequest extends PageRequest {
  readonly status?: PetStatus | undefined;
  readonly categoryId?: Int64 | undefined;
  /** Distinct and ascending, so that equal filters are equal text. */
  readonly ids?: readonly Int64[] | undefined;
  /** A part of the name, without regard to case and accents. */
  readonly name?: string | undefined;
  /** By default, the newest animal comes first. */
  readonly sort?: SortOrder | undefined;
}

export interface PetReads {
  /**
   * The matching animals of one workspace at one moment. A search by name reads a limited number of animals in several statements.
   * Its page may have fewer items than its limit, even none, and still a next page.
   */
  readPetPage(context: Context, workspaceId: Int64, request: PetPageRequest): Awaitable<Page<Pet>>;
  readPet(context: Context, workspaceId: Int64, id: Int64): Awaitable<Pet | undefined>;
  /** The inventory of one workspace. It costs the same for any number of animals. */
  readInventory(context: Context, workspaceId: Int64): Awaitable<Inventory>;
}

/** `open_order` names the order that owns the status of the animal. `invisible_name`: no character of the new name can be seen. */
type PetRefusal = 'no_such_pet' | 'precondition_failed' | 'open_order' | 'invisible_name';

export interface PetCommands {
  createPet: Command<RecordInput & { readonly pet: NewPet }, Pet, 'no_such_workspace'>;
  /** Returns the changed animal. Equal values change nothing. */
  updatePet: Command<ChangeInput & { readonly changes: PetChanges }, Pet, PetRefusal>;
  deletePet: Command<ChangeInput, null, PetRefusal>;
  /** Adds many animals in order, and returns their number. Appends no events. */
  createPets: Command<
    { readonly workspaceId: Int64; readonly pets: readonly NewPet[] },
    number,
    'no_such_workspace'
  >;
}
