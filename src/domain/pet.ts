import type { Command } from './database/command.ts';
import type { WithOrigin } from './event.ts';
import type { Page, PageRequest } from './page.ts';
import type { ChangedRecord } from './record.ts';
import type { Awaitable } from './values/awaitable.ts';
import { exactInteger } from './values/exact-json.ts';
import type { Int64 } from './values/int64.ts';

export const petStatuses = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof petStatuses)[number];

/** What an animal is when its creator does not say. */
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

/** What `JSON.stringify` makes the JSON of an animal of, members in the documented order. */
export function petToJson({ id, name, categoryId, status }: Pet): object {
  return { id: exactInteger(id), name, categoryId: exactInteger(categoryId), status };
}

/** Which animals a list is about. Absent members do not restrict it. */
export interface PetFilter {
  readonly status?: PetStatus | undefined;
  readonly categoryId?: Int64 | undefined;
  /** Distinct and ascending, so that equal filters are equal text. */
  readonly ids?: readonly Int64[] | undefined;
  /** Their name contains it, whatever the case. */
  readonly name?: string | undefined;
}

export interface PetReads {
  /**
   * The animals of one workspace that match, as they stood at one moment. By name, only so many are looked at for a page: it may
   * hold fewer than its limit, even none, and have another that follows; and they are looked at one after the other.
   */
  readPetPage(workspaceId: Int64, request: PageRequest & PetFilter): Awaitable<Page<Pet>>;
  readPet(workspaceId: Int64, id: Int64): Awaitable<Pet | undefined>;
}

/** `open_order` is about the order that owns the status of the animal. */
type PetRefusal = 'no_such_pet' | 'precondition_failed' | 'open_order';

export interface PetCommands {
  createPet: Command<
    WithOrigin & { readonly workspaceId: Int64; readonly pet: NewPet },
    Pet,
    'no_such_workspace'
  >;
  /** Gives the animal as it is then. What changes nothing leaves everything as it was. */
  updatePet: Command<ChangedRecord & { readonly changes: PetChanges }, Pet, PetRefusal>;
  deletePet: Command<ChangedRecord, null, PetRefusal>;
  /** Many at once, in order; gives how many. */
  createPets: Command<
    { readonly workspaceId: Int64; readonly pets: readonly NewPet[] },
    number,
    'no_such_workspace'
  >;
}
