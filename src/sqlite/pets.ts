import type { CommandInput, CommandOutput, Page } from '../domain/database.ts';
import { assignedIdMax, type Int64 } from '../domain/int64.ts';
import type { PageRequest } from '../domain/page.ts';
import type { Pet } from '../domain/pet.ts';
import { defaultPetStatus } from '../domain/pet-status.ts';
import type { Connection } from './connection.ts';

// Each page statement reads one row more than the page holds, which tells whether another page follows.

export const selectPage = `
  SELECT id, name, category_id AS categoryId, status FROM pets
  WHERE workspace_id = ?1 AND id < ?2
  ORDER BY id DESC LIMIT ?3`;

// Without being told, the planner walks the primary key, through every animal of another status.
export const selectPageByStatus = `
  SELECT id, name, category_id AS categoryId, status FROM pets INDEXED BY pets_by_status
  WHERE workspace_id = ?1 AND id < ?2 AND status = ?4
  ORDER BY id DESC LIMIT ?3`;

export const selectPageByIds = `
  SELECT id, name, category_id AS categoryId, status FROM pets
  WHERE workspace_id = ?1 AND id < ?2 AND id IN (SELECT value FROM json_each(?4))
  ORDER BY id DESC LIMIT ?3`;

export const selectPageByIdsAndStatus = `
  SELECT id, name, category_id AS categoryId, status FROM pets
  WHERE workspace_id = ?1 AND id < ?2 AND id IN (SELECT value FROM json_each(?4)) AND status = ?5
  ORDER BY id DESC LIMIT ?3`;

const selectPet = `
  SELECT id, name, category_id AS categoryId, status FROM pets
  WHERE workspace_id = ?1 AND id = ?2`;

/** The prepared reads, on a connection of their own. */
export function preparePetReads(connection: Connection) {
  const page = connection.query<Pet, [Int64, Int64, number]>(selectPage);
  const pageByStatus = connection.query<Pet, [Int64, Int64, number, string]>(selectPageByStatus);
  const pageByIds = connection.query<Pet, [Int64, Int64, number, string]>(selectPageByIds);
  const pageByIdsAndStatus = connection.query<Pet, [Int64, Int64, number, string, string]>(
    selectPageByIdsAndStatus,
  );
  const one = connection.query<Pet, [Int64, Int64]>(selectPet);

  function select(workspaceId: Int64, request: PageRequest): Pet[] {
    const { status, ids, belowId = assignedIdMax + 1n } = request;
    const rowsMax = request.limit + 1;
    if (ids === undefined) {
      return status === undefined
        ? page.all(workspaceId, belowId, rowsMax)
        : pageByStatus.all(workspaceId, belowId, rowsMax, status);
    }
    const list = `[${ids.join(',')}]`;
    return status === undefined
      ? pageByIds.all(workspaceId, belowId, rowsMax, list)
      : pageByIdsAndStatus.all(workspaceId, belowId, rowsMax, list, status);
  }

  return {
    readPage(workspaceId: Int64, request: PageRequest): Page {
      const rows = select(workspaceId, request);
      const more = rows.length > request.limit;
      return { pets: more ? rows.slice(0, request.limit) : rows, more };
    },
    readPet(workspaceId: Int64, id: Int64): Pet | undefined {
      return one.get(workspaceId, id) ?? undefined;
    },
  };
}

// Takes the next ids of a workspace. No row comes back when the workspace is gone.
const takeIds = `
  UPDATE workspaces SET next_pet_id = next_pet_id + ?2, revision = revision + 1
  WHERE id = ?1
  RETURNING next_pet_id - ?2 AS firstId`;

const insertPet = `
  INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (?1, ?2, ?3, ?4, ?5)`;

/** The prepared writes; they run inside the writer's transaction. */
export function preparePetCommands(connection: Connection) {
  const take = connection.query<{ firstId: Int64 }, [Int64, number]>(takeIds);
  const insert = connection.query<unknown, [Int64, Int64, string, Int64, string]>(insertPet);

  /** Several in order; taking their ids together costs half as much as one by one. */
  function createEach(inputs: readonly CommandInput<'createPet'>[]): CommandOutput<'createPet'>[] {
    const nextIds = new Map<Int64, Int64 | undefined>();
    for (const [workspaceId, count] of countByWorkspace(inputs)) {
      nextIds.set(workspaceId, take.get(workspaceId, count)?.firstId);
    }
    return inputs.map(({ workspaceId, pet }) => {
      const id = nextIds.get(workspaceId);
      if (id === undefined) return undefined;
      nextIds.set(workspaceId, id + 1n);
      const { name, categoryId, status = defaultPetStatus } = pet;
      insert.run(workspaceId, id, name, categoryId, status);
      return { id, name, categoryId, status };
    });
  }

  return {
    createPet: (input: CommandInput<'createPet'>) => createEach([input])[0],
    createPets({ workspaceId, pets }: CommandInput<'createPets'>): CommandOutput<'createPets'> {
      const created = createEach(pets.map((pet) => ({ workspaceId, pet })));
      return created[0] === undefined ? 0 : created.length;
    },
    createEach,
  };
}

function countByWorkspace(inputs: readonly { readonly workspaceId: Int64 }[]): Map<Int64, number> {
  const counts = new Map<Int64, number>();
  for (const { workspaceId } of inputs) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
  return counts;
}
