import { type PetStatus, petStatuses } from '../../domain/pet.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { Transaction } from '../queryable.ts';
import { counters, type TableName } from '../schema/tables.ts';
import { statement } from '../statement.ts';

/** What a change of records takes from the row of their workspace. */
interface WorkspaceChange {
  /** The number of new ids, for each table. */
  readonly ids?: Readonly<Partial<Record<TableName, number>>>;
  /** What is added to the count of each status. It can be negative. */
  readonly counts?: Readonly<Partial<Record<PetStatus, number>>>;
  /** The number of events. The caller appends as many. */
  readonly eventCount?: number;
}

/** The name of the workspace, and the first of the new ids of each table. An id of an event is its sequence. */
type ChangedWorkspace = { readonly name: string; readonly version: bigint } & Readonly<
  Partial<Record<TableName, Int64>>
>;

const selectLocked = statement('SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE');

/**
 * Locks the records of a workspace until the commit. Returns false if the workspace does not exist. Lock before reading a
 * record that decides what is changed.
 */
export async function lockWorkspace(
  transaction: Transaction,
  workspaceId: Int64,
): Promise<boolean> {
  return (await transaction.all(selectLocked, [workspaceId])).length > 0;
}

const counted = counters.filter(({ table }) => table === 'workspaces');

const parameter = (index: number) => `CAST($${index + 2} AS bigint)`;
const taking = counted.map(({ column }, index) => `${column} = ${column} + ${parameter(index)}`);
const counting = petStatuses.map(
  (status, index) => `${status}_count = ${status}_count + ${parameter(counted.length + index)}`,
);
const firstIds = counted.map(({ of, column }, index) => `${column} - ${parameter(index)} AS ${of}`);

const updateWorkspace = statement<ChangedWorkspace>(`
  UPDATE workspaces
  SET version = version + ${parameter(counted.length + petStatuses.length)},
    ${[...taking, ...counting].join(', ')}
  WHERE id = $1
  RETURNING name, version, ${firstIds.join(', ')}`);

const versionStepMax = 1_000_000;

/** The version rises by a random number. A version that was lost with a primary must not return for other records. */
function randomStep(): number {
  return 1 + Math.floor(Math.random() * versionStepMax);
}

/**
 * Every change of records passes through this statement. It locks the row of the workspace until the commit, so that changes of
 * one workspace run one after the other. Returns undefined if the workspace does not exist.
 */
export async function changeWorkspace(
  transaction: Transaction,
  workspaceId: Int64,
  { ids = {}, counts = {}, eventCount = 0 }: WorkspaceChange = {},
): Promise<ChangedWorkspace | undefined> {
  const taken = counted.map(({ of }) => (of === 'events' ? eventCount : (ids[of] ?? 0)));
  const more = petStatuses.map((status) => counts[status] ?? 0);
  const values = [workspaceId, ...taken, ...more, randomStep()];
  const [changed] = await transaction.all(updateWorkspace, values);
  if (changed !== undefined) transaction.noteVersion(workspaceId, changed.version);
  return changed;
}

/** The name of a workspace, the sequence of its newest event, and the first of the ids that were taken. */
interface TakenIds {
  readonly name: string;
  readonly head: number;
  readonly firstId: Int64;
}

const takeStatements = new Map(
  counted.map(({ of, column }) => [
    of,
    statement<TakenIds>(
      `UPDATE workspaces SET ${column} = ${column} + CAST($2 AS bigint) WHERE id = $1
      RETURNING name, next_event_sequence - 1 AS head, ${column} - CAST($2 AS bigint) AS "firstId"`,
      ['head'],
    ),
  ]),
);

/**
 * Takes ids for rows that no list of records contains, so that the version of the workspace does not change. Locks the row of the
 * workspace until the commit. Returns undefined if the workspace does not exist.
 */
export async function takeIds(
  transaction: Transaction,
  workspaceId: Int64,
  table: TableName,
  count: number,
): Promise<TakenIds | undefined> {
  const take = takeStatements.get(table);
  if (take === undefined) throw new Error(`Ids of ${table} are not assigned`);
  const [taken] = await transaction.all(take, [workspaceId, count]);
  return taken;
}
