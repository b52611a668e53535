import type { CommandInput, CommandOutput, Page } from '../domain/database.ts';
import { assignedIdMax, type Int64 } from '../domain/int64.ts';
import type { PageRequest } from '../domain/page.ts';
import type { NewPet, Pet } from '../domain/pet.ts';
import { defaultPetStatus } from '../domain/pet-status.ts';
import { type Session, statement } from './statement.ts';

// Each page statement reads one row more than the page holds, which tells whether another page follows.

const columns = 'id, name, category_id AS "categoryId", status';

const selectPage = statement<Pet>(`
  SELECT ${columns} FROM pets
  WHERE workspace_id = $1 AND id < $2
  ORDER BY id DESC LIMIT $3`);

const selectPageByStatus = statement<Pet>(`
  SELECT ${columns} FROM pets
  WHERE workspace_id = $1 AND id < $2 AND status = $4
  ORDER BY id DESC LIMIT $3`);

const selectPageByIds = statement<Pet>(`
  SELECT ${columns} FROM pets
  WHERE workspace_id = $1 AND id < $2 AND id = ANY ($4::bigint[])
  ORDER BY id DESC LIMIT $3`);

const selectPageByIdsAndStatus = statement<Pet>(`
  SELECT ${columns} FROM pets
  WHERE workspace_id = $1 AND id < $2 AND id = ANY ($4::bigint[]) AND status = $5
  ORDER BY id DESC LIMIT $3`);

const selectPet = statement<Pet>(`
  SELECT ${columns} FROM pets
  WHERE workspace_id = $1 AND id = $2`);

/** The reads of animals. */
export function createPetReads(session: Session) {
  function select(workspaceId: Int64, request: PageRequest) {
    const { status, ids, belowId = assignedIdMax + 1n } = request;
    const values = [workspaceId, belowId, request.limit + 1];
    if (ids === undefined) {
      return status === undefined
        ? session.run(selectPage, values)
        : session.run(selectPageByStatus, [...values, status]);
    }
    return status === undefined
      ? session.run(selectPageByIds, [...values, ids])
      : session.run(selectPageByIdsAndStatus, [...values, ids, status]);
  }

  return {
    async readPage(workspaceId: Int64, request: PageRequest): Promise<Page> {
      const { rows } = await select(workspaceId, request);
      const more = rows.length > request.limit;
      return { pets: more ? rows.slice(0, request.limit) : rows, more };
    },
    async readPet(workspaceId: Int64, id: Int64): Promise<Pet | undefined> {
      const { rows } = await session.run(selectPet, [workspaceId, id]);
      return rows[0];
    },
  };
}

// Takes the ids and adds the animals in one go. The revision rises by chance, so that one which was lost with a primary
// does not come again for other animals. No row comes back when the workspace is gone.
const insertPets = statement<{ firstId: Int64 }>(`
  WITH taken AS (
    UPDATE workspaces SET next_pet_id = next_pet_id + $2::bigint, revision = revision + 1 + floor(random() * 1000000)::bigint
    WHERE id = $1
    RETURNING next_pet_id - $2::bigint AS first_id
  ), added AS (
    INSERT INTO pets (workspace_id, id, name, category_id, status)
    SELECT $1, first_id + position - 1, name, category_id, status
    FROM taken, unnest($3::text[], $4::bigint[], $5::text[])
      WITH ORDINALITY AS given (name, category_id, status, position)
  )
  SELECT first_id AS "firstId" FROM taken`);

/** Adds animals in order; undefined when the workspace is gone. */
async function insert(
  session: Session,
  workspaceId: Int64,
  pets: readonly NewPet[],
): Promise<Int64 | undefined> {
  const { rows } = await session.run(insertPets, [
    workspaceId,
    pets.length,
    pets.map(({ name }) => name),
    pets.map(({ categoryId }) => categoryId),
    pets.map(({ status = defaultPetStatus }) => status),
  ]);
  return rows[0]?.firstId;
}

/** The writes of animals; they run inside a transaction. `createPet` takes many, of one workspace. */
export const petCommands = {
  async createPet(
    session: Session,
    inputs: readonly CommandInput<'createPet'>[],
  ): Promise<CommandOutput<'createPet'>[]> {
    const pets = inputs.map(({ pet }) => pet);
    const workspaceId = inputs[0]?.workspaceId ?? 0n;
    const firstId = await insert(session, workspaceId, pets);
    return pets.map(({ name, categoryId, status = defaultPetStatus }, index) =>
      firstId === undefined ? undefined : { id: firstId + BigInt(index), name, categoryId, status },
    );
  },
  async createPets(
    session: Session,
    { workspaceId, pets }: CommandInput<'createPets'>,
  ): Promise<CommandOutput<'createPets'>> {
    return (await insert(session, workspaceId, pets)) === undefined ? 0 : pets.length;
  },
};
