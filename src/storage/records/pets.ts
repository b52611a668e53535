import type { EventTypeOf } from '../../domain/event.ts';
import type { PageRequest } from '../../domain/page.ts';
import {
  defaultPetStatus,
  type NewPet,
  type Pet,
  type PetCommands,
  type PetReads,
  petStatuses,
  petToJson,
} from '../../domain/pet.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import type { Queryable } from '../queryable.ts';
import { recordColumns } from '../schema/record-columns.ts';
import { statement } from '../statement.ts';
import {
  type ChangeableKind,
  changeEach,
  createEach,
  type Save,
  withChanges,
  workspaceGone,
} from './change-records.ts';
import { pageStatements, selectPage, toPage } from './pages.ts';
import { defineKind, saveRecords } from './save.ts';
import { searchPage } from './search.ts';

const { columns, select } = recordColumns<Pet>('pets');

export const petPages = pageStatements<Pet>({
  table: 'pets',
  statuses: petStatuses,
  parent: { column: 'category_id', index: 'pets_by_category' },
});

const selectPet = select(`SELECT ${columns} FROM pets WHERE workspace_id = $1 AND id = $2`);

const selectPets = select(
  `SELECT ${columns} FROM pets WHERE workspace_id = $1 AND id = ANY ($2::bigint[])`,
);

export function createPetReads(queryable: Queryable): PetReads {
  return {
    readPetPage(workspaceId, { limit, belowId, status, categoryId: parent, ids, name }) {
      const filter = { status, parent, ids };
      const read = (request: PageRequest) =>
        selectPage(queryable, petPages, workspaceId, request, filter);
      return name === undefined
        ? andThen(read({ limit, belowId }), (rows) => toPage(rows, limit))
        : searchPage({ limit, belowId }, read, name);
    },
    readPet: (workspaceId, id) =>
      andThen(queryable.all(selectPet, [workspaceId, id]), ([pet]) => pet),
  };
}

/** Those of these animals that exist. */
export function readPets(
  queryable: Queryable,
  workspaceId: Int64,
  ids: readonly Int64[],
): Awaitable<readonly Pet[]> {
  return ids.length === 0 ? [] : queryable.all(selectPets, [workspaceId, ids]);
}

type PetContent = Omit<Pet, 'id'>;

export const petKind = defineKind<PetContent>({
  table: 'pets',
  toJson: petToJson,
  eventType(before, after): EventTypeOf<'pet'> {
    if (after === undefined) return 'pet.deleted';
    return before === undefined ? 'pet.created' : 'pet.updated';
  },
  countedAs: ({ status }) => status,
});

const savePets: Save<PetContent> = (transaction, workspaceId, changes) =>
  saveRecords(transaction, workspaceId, petKind, changes);

function toContent(pet: NewPet): PetContent {
  return { ...pet, status: pet.status ?? defaultPetStatus };
}

/** An animal, and the order that owns its status, if one is open. */
type PetWithOpenOrder = PetContent & { readonly openOrderId?: Int64 | undefined };

const selectOpenOrders = statement<{ id: Int64; petId: Int64 }>(`
  SELECT id, pet_id AS "petId" FROM orders
  WHERE workspace_id = $1 AND status = 'pending' AND pet_id = ANY ($2::bigint[])`);

const changeable: ChangeableKind<PetWithOpenOrder, undefined> = {
  toJson: petToJson,
  async read(transaction, workspaceId, ids) {
    const pets = await readPets(transaction, workspaceId, ids);
    const reserved = pets.filter(({ status }) => status === 'pending').map(({ id }) => id);
    if (reserved.length === 0) return pets;
    const open = await transaction.all(selectOpenOrders, [workspaceId, reserved]);
    const orderIds = new Map(open.map(({ id, petId }) => [petId, id]));
    return pets.map((pet) => ({ ...pet, openOrderId: orderIds.get(pet.id) }));
  },
  save: savePets,
};

const noSuchPet = { refused: 'no_such_pet' } as const;

export const petCommands: CommandTable<keyof PetCommands> = {
  createPet: createEach(savePets, ({ pet }) => toContent(pet)),
  updatePet: changeEach<'updatePet', PetWithOpenOrder>(changeable, {
    missing: noSuchPet,
    decide({ openOrderId, ...old }, { changes }) {
      const pet = withChanges(old, changes);
      if (pet === old) return { outcome: { ok: old } };
      if (pet.status !== old.status && openOrderId !== undefined) {
        return { outcome: { refused: 'open_order', about: openOrderId } };
      }
      return { outcome: { ok: pet }, change: { after: { ...pet, openOrderId } } };
    },
  }),
  deletePet: changeEach<'deletePet', PetWithOpenOrder>(changeable, {
    missing: noSuchPet,
    decide: ({ openOrderId }) =>
      openOrderId === undefined
        ? { outcome: { ok: null }, change: { after: undefined } }
        : { outcome: { refused: 'open_order', about: openOrderId } },
  }),
  createPets: {
    async run(transaction, { workspaceId, pets }) {
      const changes = pets.map((pet) => ({ after: toContent(pet), origin: undefined }));
      const saved = await savePets(transaction, workspaceId, changes);
      return saved === undefined ? workspaceGone : { ok: saved.length };
    },
  },
};
