import type { CommandInput, CommandOutcome } from '../../domain/database/commands.ts';
import { zeroCounts } from '../../domain/inventory.ts';
import type { PageRequest } from '../../domain/page.ts';
import {
  defaultPetStatus,
  type Pet,
  type PetCommands,
  type PetReads,
  type PetStatus,
  petStatuses,
  petToJson,
} from '../../domain/pet.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import {
  appendEvents,
  countWithOrigin,
  type EventKind,
  eventsOf,
  type RecordChange,
} from '../feed/events.ts';
import type { Queryable, Transaction } from '../queryable.ts';
import type { TableRow } from '../schema/tables.ts';
import { statement } from '../statement.ts';
import { changeRecords, type RecordKind } from './change-records.ts';
import { changeWorkspace } from './changes.ts';
import { pageStatements, selectPage, toPage } from './pages.ts';
import { searchPage } from './search.ts';

const columns = 'id, name, category_id AS "categoryId", status';

export const petPages = pageStatements<Pet>({
  table: 'pets',
  columns,
  statuses: petStatuses,
  parent: { column: 'category_id', index: 'pets_by_category' },
});

const selectPet = statement<Pet>(`
  SELECT ${columns} FROM pets WHERE workspace_id = $1 AND id = $2`);

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

/** Adds animals in order: many at once cost little more than one. Those of a workspace share one change of it. */
async function createEach(
  transaction: Transaction,
  inputs: readonly CommandInput<'createPet'>[],
): Promise<readonly CommandOutcome<'createPet'>[]> {
  const outcomes = new Map<CommandInput<'createPet'>, CommandOutcome<'createPet'>>();
  for (const [workspaceId, own] of Map.groupBy(inputs, (input) => input.workspaceId)) {
    const counts = zeroCounts();
    for (const { pet } of own) counts[pet.status ?? defaultPetStatus] += 1;
    const changed = await changeWorkspace(transaction, workspaceId, {
      ids: { pets: own.length },
      counts,
      eventCount: countWithOrigin(own),
    });
    let id = changed?.firstIds.pets;
    if (changed === undefined || id === undefined) continue;
    const created: RecordChange<Pet>[] = [];
    const rows: TableRow<'pets'>[] = [];
    for (const input of own) {
      const { name, categoryId, status = defaultPetStatus } = input.pet;
      const pet = { id, name, categoryId, status };
      outcomes.set(input, { ok: pet });
      created.push({ before: undefined, after: pet, origin: input.origin });
      rows.push({ workspace_id: workspaceId, id, name, category_id: categoryId, status });
      id += 1n;
    }
    transaction.insert('pets', rows);
    appendEvents(transaction, workspaceId, changed, eventsOf(petEvents, created));
  }
  return inputs.map((input) => outcomes.get(input) ?? workspaceGone);
}

export const selectPets = statement<Pet>({
  sqlite: `
    SELECT ${columns} FROM pets
    WHERE workspace_id = $1 AND id IN (SELECT value FROM json_each($2))`,
  postgres: `SELECT ${columns} FROM pets WHERE workspace_id = $1 AND id = ANY ($2::bigint[])`,
});

const openOrdersOf = (isOneOf: string) => `
  SELECT id, pet_id AS "petId" FROM orders
  WHERE workspace_id = $1 AND status = 'pending' AND pet_id ${isOneOf}`;

const selectOpenOrders = statement<{ id: Int64; petId: Int64 }>({
  sqlite: openOrdersOf('IN (SELECT value FROM json_each($2))'),
  postgres: openOrdersOf('= ANY ($2::bigint[])'),
});

const updateRow = statement(`
  UPDATE pets SET name = $3, category_id = $4, status = $5 WHERE workspace_id = $1 AND id = $2`);

const updateStatuses = statement({
  sqlite: `
    UPDATE pets SET status = $3
    WHERE workspace_id = $1 AND id IN (SELECT value FROM json_each($2))`,
  postgres: `
    UPDATE pets SET status = $3 WHERE workspace_id = $1 AND id = ANY ($2::bigint[])`,
});

/** Sets the status of animals. The caller changes the counts of their workspace. */
export function setPetStatuses(
  transaction: Transaction,
  workspaceId: Int64,
  ids: readonly Int64[],
  status: PetStatus,
): void {
  if (ids.length > 0) transaction.runDeferred(updateStatuses, [workspaceId, ids, status]);
}

const deleteRow = statement('DELETE FROM pets WHERE workspace_id = $1 AND id = $2');

/** An animal, and the order that owns its status, if one is open. */
interface PetWithOpenOrder extends Pet {
  readonly openOrderId?: Int64 | undefined;
}

export const petEvents: EventKind<Pet> = { name: 'pet', toJson: petToJson };

const petRecords: RecordKind<PetWithOpenOrder> = {
  ...petEvents,
  async read(transaction, workspaceId, ids) {
    const pets = await transaction.all(selectPets, [workspaceId, ids]);
    const reserved = pets.filter(({ status }) => status === 'pending').map(({ id }) => id);
    if (reserved.length === 0) return pets;
    const open = await transaction.all(selectOpenOrders, [workspaceId, reserved]);
    const orderIds = new Map(open.map(({ id, petId }) => [petId, id]));
    return pets.map((pet) => ({ ...pet, openOrderId: orderIds.get(pet.id) }));
  },
  async store(transaction, workspaceId, changes) {
    const counts = zeroCounts();
    for (const { before, after } of changes) {
      if (before !== undefined) counts[before.status] -= 1;
      if (after !== undefined) counts[after.status] += 1;
    }
    const events = eventsOf(petEvents, changes);
    const changed = await changeWorkspace(transaction, workspaceId, {
      counts,
      eventCount: events.length,
    });
    if (changed === undefined) return;
    appendEvents(transaction, workspaceId, changed, events);
    for (const { before, after } of changes) {
      if (after !== undefined) {
        const { id, name, categoryId, status } = after;
        transaction.runDeferred(updateRow, [workspaceId, id, name, categoryId, status]);
      } else if (before !== undefined) {
        transaction.runDeferred(deleteRow, [workspaceId, before.id]);
      }
    }
  },
};

const noSuchPet = { refused: 'no_such_pet' } as const;

const workspaceGone = { refused: 'no_such_workspace' } as const;

export const petCommands: CommandTable<keyof PetCommands> = {
  createPet: { runMany: createEach },
  updatePet: {
    runMany: (transaction, inputs) =>
      changeRecords<'updatePet', PetWithOpenOrder>(transaction, inputs, petRecords, {
        gone: noSuchPet,
        missing: noSuchPet,
        decide({ openOrderId, ...old }, { changes }) {
          const { name = old.name, categoryId = old.categoryId, status = old.status } = changes;
          const isSame =
            name === old.name && categoryId === old.categoryId && status === old.status;
          if (isSame) return { outcome: { ok: old } };
          if (status !== old.status && openOrderId !== undefined) {
            return { outcome: { refused: 'open_order', about: openOrderId } };
          }
          const pet = { id: old.id, name, categoryId, status };
          return { outcome: { ok: pet }, change: { after: { ...pet, openOrderId } } };
        },
      }),
  },
  deletePet: {
    runMany: (transaction, inputs) =>
      changeRecords<'deletePet', PetWithOpenOrder>(transaction, inputs, petRecords, {
        gone: noSuchPet,
        missing: noSuchPet,
        decide: ({ openOrderId }) =>
          openOrderId === undefined
            ? { outcome: { ok: null }, change: { after: undefined } }
            : { outcome: { refused: 'open_order', about: openOrderId } },
      }),
  },
  createPets: {
    async run(transaction, { workspaceId, pets }) {
      const inputs = pets.map((pet) => ({ workspaceId, pet }));
      const outcomes = await createEach(transaction, inputs);
      return outcomes.includes(workspaceGone) ? workspaceGone : { ok: outcomes.length };
    },
  },
};
