import { findNameFault } from '../../domain/name.ts';
import type { PageRequest } from '../../domain/page.ts';
import {
  defaultPetStatus,
  type Inventory,
  type NewPet,
  type Pet,
  type PetCommands,
  type PetReads,
  petStatuses,
  petToJson,
  zeroCounts,
} from '../../domain/pet.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import { statement } from '../statement.ts';
import type { Within } from '../within.ts';
import { changeEach, createEach, noSuchWorkspace, withChanges } from './change-records.ts';
import { pageStatements, selectPage, toPage } from './pages.ts';
import { newId, type RecordKind, recordTable } from './record-kind.ts';
import { saveRecords } from './save.ts';
import { searchPage } from './search-page.ts';

export const petTable = recordTable<Pet>('pets');

const category = { column: 'category_id', index: 'pets_by_category' };

export const petPages = {
  '-id': pageStatements(petTable, petStatuses, category, '-id'),
  id: pageStatements(petTable, petStatuses, category, 'id'),
} as const;

const counts = petStatuses.map((status) => `${status}_count AS ${status}`).join(', ');

const selectCounts = statement<Inventory>(
  `SELECT ${counts} FROM workspaces WHERE id = $1`,
  petStatuses,
);

export function createPetReads(within: Within): PetReads {
  return {
    readPetPage(
      context,
      workspaceId,
      { limit, afterId, sort = '-id', status, categoryId, ids, name },
    ) {
      const filter = { status, parents: categoryId === undefined ? undefined : [categoryId], ids };
      const read = (request: PageRequest) =>
        selectPage(within(context), petPages[sort], workspaceId, request, filter);
      return name === undefined
        ? andThen(read({ limit, afterId }), (rows) => toPage(rows, limit))
        : searchPage(context, { limit, afterId }, read, (pet) => pet.name, name);
    },
    readPet: (context, workspaceId, id) => petTable.readById(within(context), workspaceId, id),
    readInventory: (context, workspaceId) =>
      andThen(within(context).all(selectCounts, [workspaceId]), ([found]) => found ?? zeroCounts()),
  };
}

/** An animal, and the order that owns its status, if one is open. */
interface PetWithOpenOrder extends Pet {
  readonly openOrderId?: Int64 | undefined;
}

const selectOpenOrders = statement<{ id: Int64; petId: Int64 }>(`
  SELECT id, pet_id AS "petId" FROM orders
  WHERE workspace_id = $1 AND status = 'pending' AND pet_id = ANY ($2::bigint[])`);

export const petKind: RecordKind<PetWithOpenOrder> = {
  ...petTable,
  async readToChange(transaction, workspaceId, ids) {
    const pets = await petTable.readByIds(transaction, workspaceId, ids);
    const reserved = pets.filter(({ status }) => status === 'pending').map(({ id }) => id);
    if (reserved.length === 0) return pets;
    const open = await transaction.all(selectOpenOrders, [workspaceId, reserved]);
    const orderIds = new Map(open.map(({ id, petId }) => [petId, id]));
    return pets.map((pet) => ({ ...pet, openOrderId: orderIds.get(pet.id) }));
  },
  toRow: (workspaceId, pet) => ({ ...pet, workspaceId }),
  toJson: petToJson,
  eventType(before, after) {
    if (after === undefined) return 'pet.deleted';
    return before === undefined ? 'pet.created' : 'pet.updated';
  },
  countedAs: ({ status }) => status,
};

export function toPet(pet: NewPet): Pet {
  return { ...pet, id: newId, status: pet.status ?? defaultPetStatus };
}

export const petCommands: CommandTable<keyof PetCommands> = {
  createPet: createEach(petKind, ({ pet }) => toPet(pet)),
  updatePet: changeEach<'updatePet', PetWithOpenOrder>(petKind, {
    missing: 'no_such_pet',
    decide(old, { changes }) {
      const after = withChanges(old, changes);
      // Earlier versions stored such names. A change that repeats one is none.
      if (after.name !== old.name && findNameFault(after.name) !== undefined)
        return { refused: 'invisible_name' };
      const { openOrderId, ...ok } = after;
      return after.status !== old.status && openOrderId !== undefined
        ? { refused: 'open_order', blockedBy: openOrderId }
        : { ok, after };
    },
  }),
  deletePet: changeEach<'deletePet', PetWithOpenOrder>(petKind, {
    missing: 'no_such_pet',
    decide: ({ openOrderId }) =>
      openOrderId === undefined
        ? { ok: null, after: undefined }
        : { refused: 'open_order', blockedBy: openOrderId },
  }),
  createPets: {
    keepsAccess: true,
    async run(transaction, { workspaceId, pets }) {
      const changes = pets.map((pet) => ({ after: toPet(pet), origin: undefined }));
      const saved = await saveRecords(transaction, workspaceId, petKind, changes);
      return saved === undefined ? noSuchWorkspace : { ok: saved.length };
    },
  },
};
