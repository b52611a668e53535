import { type PetStatus, petStatuses } from '../../domain/pet.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { Transaction } from '../queryable.ts';
import { counters, type TableName } from '../schema/tables.ts';
import { forUpdate, statement } from '../statement.ts';

/** What a change takes, and what it does to the counts that a workspace keeps. */
export interface WorkspaceChange {
  /** How many new ids of a table are taken. */
  readonly ids?: Readonly<Partial<Record<TableName, number>>>;
  /** How many animals of a status there are more, or fewer. */
  readonly counts?: Readonly<Partial<Record<PetStatus, number>>>;
  /** How many places in the feed are taken: the caller appends as many events. */
  readonly eventCount?: number;
}

export interface ChangedWorkspace {
  readonly name: string;
  /** The first of the ids that were taken, of each table whose ids a workspace counts. */
  readonly firstIds: Readonly<Partial<Record<TableName, Int64>>>;
  readonly eventCount: number;
}

const selectHeld = statement(forUpdate('SELECT 1 FROM workspaces WHERE id = $1'));

/**
 * Keeps all others from changing records of a workspace until the commit; false where it is gone. To be done before anything
 * of it is looked at that decides what is changed. In SQLite, whose writers come one after the other, nobody is kept away.
 */
export async function lockWorkspace(
  transaction: Transaction,
  workspaceId: Int64,
): Promise<boolean> {
  return (await transaction.all(selectHeld, [workspaceId])).length > 0;
}

const counted = counters.filter(({ table }) => table === 'workspaces');

const parameter = (index: number) => `CAST($${index + 2} AS bigint)`;
const taking = counted.map(({ column }, index) => `${column} = ${column} + ${parameter(index)}`);
const counting = petStatuses.map(
  (status, index) => `${status}_count = ${status}_count + ${parameter(counted.length + index)}`,
);
const firstIds = counted.map(({ of, column }, index) => `${column} - ${parameter(index)} AS ${of}`);

// The version rises by chance, so that one which was lost with a primary does not come again for other records.
const update = (chance: string) => `
  UPDATE workspaces SET version = version + 1 + ${chance}, ${[...taking, ...counting].join(', ')}
  WHERE id = $1
  RETURNING name, ${firstIds.join(', ')}`;

const updateWorkspace = statement<{ readonly name: string } & ChangedWorkspace['firstIds']>({
  sqlite: update('abs(random() % 1000000)'),
  postgres: update('floor(random() * 1000000)::bigint'),
});

/**
 * The one way in which records of a workspace change: in the transaction that calls this. It holds the row of the
 * workspace until the commit, so that changes of one workspace come one after the other. Undefined where it is gone.
 */
export function changeWorkspace(
  transaction: Transaction,
  workspaceId: Int64,
  { ids = {}, counts = {}, eventCount = 0 }: WorkspaceChange = {},
): Awaitable<ChangedWorkspace | undefined> {
  const taken = counted.map(({ of }) => (of === 'events' ? eventCount : (ids[of] ?? 0)));
  const more = petStatuses.map((status) => counts[status] ?? 0);
  return andThen(
    transaction.all(updateWorkspace, [workspaceId, ...taken, ...more]),
    ([changed]) => changed && { name: changed.name, firstIds: changed, eventCount },
  );
}
