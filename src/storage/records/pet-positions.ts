import type { SortOrder } from '../../domain/page.ts';
import { petStatuses } from '../../domain/pet.ts';
import type { CountedPets, PetPositionReads, PetTotals } from '../../domain/pet-position.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { Value } from '../queryable.ts';
import { type Dialects, statement } from '../statement.ts';
import type { Within } from '../within.ts';

const selectTotals = statement<PetTotals>(
  `SELECT version, next_event_sequence - 1 AS head,
    ${petStatuses.map((status) => `${status}_count AS ${status}`).join(', ')}
  FROM workspaces WHERE id = $1`,
  ['version', 'head', ...petStatuses],
);

/** The statements on a list. Each reads adjacent entries of one index, and nothing else of an animal. */
function listStatements(makeText: (pets: string) => string, status: string) {
  const of = (pets: string): Dialects => ({
    sqlite: makeText(pets),
    // Only SQLite's planner needs the name of an index.
    postgres: makeText(pets.replace('INDEXED BY pets_by_status ', '')),
  });
  return {
    all: statement<{ id: number }>(of('pets WHERE workspace_id = $1'), ['id']),
    ofStatus: statement<{ id: number }>(
      of(`pets INDEXED BY pets_by_status WHERE workspace_id = $1 AND status = ${status}`),
      ['id'],
    ),
  };
}

const nearbyStatements = (bound: string, direction: string) =>
  listStatements(
    (pets) =>
      `SELECT id FROM ${pets} AND id ${bound} $2 ORDER BY id ${direction} LIMIT 1 OFFSET $3`,
    '$4',
  );

export const selectNearby: Readonly<Record<SortOrder, ReturnType<typeof listStatements>>> = {
  id: nearbyStatements('>=', 'ASC'),
  '-id': nearbyStatements('<', 'DESC'),
};

export const selectMarks = listStatements(
  (pets) => `
  WITH RECURSIVE mark (id, number) AS (
    SELECT CAST($2 AS bigint), 0
    UNION ALL
    SELECT (SELECT id FROM ${pets} AND id >= mark.id ORDER BY id LIMIT 1 OFFSET $3), number + 1
    FROM mark WHERE mark.id IS NOT NULL AND number < $4
  )
  SELECT id FROM mark WHERE id > $2 ORDER BY id`,
  '$5',
);

export function createPetPositionReads(within: Within): PetPositionReads {
  return {
    readPetTotals: (context, workspaceId) =>
      andThen(within(context).all(selectTotals, [workspaceId]), ([totals]) => totals),
    findNearbyPet: (context, pets, { sort, from, offset }) =>
      andThen(
        within(context).all(...choose(selectNearby[sort], pets, [from, offset])),
        ([found]) => found?.id,
      ),
    readPetMarks: (context, pets, { from, step, limit }) =>
      andThen(within(context).all(...choose(selectMarks, pets, [from, step, limit])), (rows) =>
        rows.map(({ id }) => id),
      ),
  };
}

/** The statement on the list, with its values. */
function choose(
  { all, ofStatus }: ReturnType<typeof listStatements>,
  { workspaceId, status }: CountedPets,
  values: readonly Value[],
) {
  return status === undefined
    ? ([all, [workspaceId, ...values]] as const)
    : ([ofStatus, [workspaceId, ...values, status]] as const);
}
