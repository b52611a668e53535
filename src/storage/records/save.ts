import {
  type ChangeOrigin,
  changedMembers,
  type EventType,
  type NewEvent,
} from '../../domain/event.ts';
import { zeroCounts } from '../../domain/inventory.ts';
import type { PetStatus } from '../../domain/pet.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { appendEvents } from '../feed/events.ts';
import type { Cell, Row, Transaction } from '../queryable.ts';
import { columnMembers, type TableOf } from '../schema/record-columns.ts';
import { type Statement, statement } from '../statement.ts';
import { changeWorkspace } from './change-workspace.ts';

/** The members of a record without its id. */
export type Members = Readonly<Record<string, Cell | undefined>>;

/** A record as it is stored. */
export type Saved<Content extends Members> = Content & { readonly id: Int64 };

/** How records of one kind are stored, counted and shown in events. `Removal` is `never` if they are never removed. */
interface KindDeclaration<Content extends Members, Removal extends undefined> {
  readonly table: TableOf<Saved<Content>>;
  /** The JSON that clients see. */
  readonly toJson: (item: Saved<Content>) => object;
  /** A created record has no `before`, a removed one no `after`. */
  readonly eventType: (
    before: Saved<Content> | undefined,
    after: Saved<Content> | Removal,
  ) => EventType;
  /** Columns that are no members of the record. */
  readonly otherColumns?: (workspaceId: Int64, item: Saved<Content>) => Row;
  /** The status that the workspace counts the record under. */
  readonly countedAs?: (item: Content) => PetStatus;
}

export interface RecordKind<Content extends Members, Removal extends undefined = undefined>
  extends KindDeclaration<Content, Removal> {
  /** Columns with another name than the member that they hold, with its name. */
  readonly renamedColumns: readonly (readonly [string, string])[];
  readonly deleteRows: Statement;
}

export function defineKind<Content extends Members, Removal extends undefined = undefined>(
  kind: KindDeclaration<Content, Removal>,
): RecordKind<Content, Removal> {
  const { table } = kind;
  return {
    ...kind,
    renamedColumns: columnMembers(table).filter(([column, member]) => column !== member),
    deleteRows: statement(
      `DELETE FROM ${table} WHERE workspace_id = $1 AND id = ANY ($2::bigint[])`,
    ),
  };
}

/** A creation has no `before`, a removal no `after`. A created record without an id gets the next one. */
export interface RecordChange<Content extends Members, Removal extends undefined = undefined> {
  readonly before?: Saved<Content> | undefined;
  readonly after: (Content & { readonly id?: Int64 | undefined }) | Removal;
  /** A change without an origin appends no event. */
  readonly origin: ChangeOrigin | undefined;
}

/** A change whose record has its id. */
export interface SavedChange<Content extends Members, Removal extends undefined = undefined> {
  readonly before?: Saved<Content> | undefined;
  readonly after: Saved<Content> | Removal;
  readonly origin: ChangeOrigin | undefined;
}

/** The records as they are saved, or undefined if the workspace does not exist. */
export type SavedRecords<Content extends Members, Removal extends undefined> = Awaitable<
  readonly (Saved<Content> | Removal)[] | undefined
>;

/** Changes of another kind. Each is in the place of the change that causes it. */
export interface CausedChanges<Content extends Members> {
  readonly kind: RecordKind<Content>;
  readonly changes: readonly (SavedChange<Content> | undefined)[];
}

/**
 * Saves changes of one workspace, in order: their rows, counts and events. `passedIds` is by how many the next id rises, if the caller assigned the ids.
 */
export function saveRecords<
  Content extends Members,
  Removal extends undefined,
  Other extends Members,
>(
  transaction: Transaction,
  workspaceId: Int64,
  kind: RecordKind<Content, Removal>,
  changes: readonly RecordChange<Content, Removal>[],
  {
    passedIds,
    caused,
  }: { readonly passedIds?: number; readonly caused?: CausedChanges<Other> } = {},
): SavedRecords<Content, Removal> {
  const causedChanges = caused?.changes.filter((change) => change !== undefined) ?? [];
  const counts = zeroCounts();
  addCounts(counts, kind, changes);
  if (caused !== undefined) addCounts(counts, caused.kind, causedChanges);
  const change = {
    ids: { [kind.table]: passedIds ?? changes.filter(needsId).length },
    counts,
    eventCount: countEvents(changes) + countEvents(causedChanges),
  };
  return andThen(changeWorkspace(transaction, workspaceId, change), (workspace) => {
    if (workspace === undefined) return undefined;
    const saved = assignIds(changes, workspace.firstIds[kind.table] ?? 0n);
    saveRows(transaction, workspaceId, kind, saved);
    if (caused !== undefined) saveRows(transaction, workspaceId, caused.kind, causedChanges);
    const events: NewEvent[] = [];
    for (const [index, change] of saved.entries()) {
      addEvent(events, kind, change);
      if (caused !== undefined) addEvent(events, caused.kind, caused.changes[index]);
    }
    appendEvents(transaction, workspaceId, workspace.firstIds.events ?? 0n, events);
    return saved.map(({ after }) => after);
  });
}

function assignIds<Content extends Members, Removal extends undefined>(
  changes: readonly RecordChange<Content, Removal>[],
  firstId: Int64,
): readonly SavedChange<Content, Removal>[] {
  let nextId = firstId;
  return changes.map((change) => {
    const { before, after, origin } = change;
    if (after === undefined) return { before, after, origin };
    const { id = nextId } = after;
    if (needsId(change)) nextId += 1n;
    return { before, after: { ...after, id }, origin };
  });
}

/** Without an origin, a change appends no event. */
function countEvents(changes: readonly { readonly origin: ChangeOrigin | undefined }[]): number {
  return changes.reduce((sum, { origin }) => (origin === undefined ? sum : sum + 1), 0);
}

function needsId<Content extends Members, Removal extends undefined>({
  before,
  after,
}: RecordChange<Content, Removal>): boolean {
  return before === undefined && after !== undefined && after.id === undefined;
}

function addCounts<Content extends Members, Removal extends undefined>(
  counts: Record<PetStatus, number>,
  { countedAs }: RecordKind<Content, Removal>,
  changes: readonly RecordChange<Content, Removal>[],
): void {
  if (countedAs === undefined) return;
  for (const { before, after } of changes) {
    if (before !== undefined) counts[countedAs(before)] -= 1;
    if (after !== undefined) counts[countedAs(after)] += 1;
  }
}

function saveRows<Content extends Members, Removal extends undefined>(
  transaction: Transaction,
  workspaceId: Int64,
  { table, renamedColumns, otherColumns, deleteRows }: RecordKind<Content, Removal>,
  changes: readonly SavedChange<Content, Removal>[],
): void {
  const toRow = (item: Saved<Content>): Row => {
    const row: Record<string, Cell | undefined> = { ...item };
    for (const [column, member] of renamedColumns) row[column] = item[member];
    row.workspace_id = workspaceId;
    return otherColumns === undefined ? row : { ...row, ...otherColumns(workspaceId, item) };
  };
  const created: Row[] = [];
  // The last of several changes of a record is what remains.
  const changed = new Map<Int64, Row>();
  const removed = new Set<Int64>();
  for (const { before, after } of changes) {
    if (before === undefined && after !== undefined) created.push(toRow(after));
    else if (after !== undefined) changed.set(after.id, toRow(after));
    else if (before !== undefined) removed.add(before.id);
  }
  if (created.length > 0) transaction.insert(table, created);
  if (changed.size > 0) transaction.insert(table, [...changed.values()], 'replace');
  if (removed.size > 0) transaction.runDeferred(deleteRows, [workspaceId, [...removed]]);
}

/** Without an origin, a change has no event. */
function addEvent<Content extends Members, Removal extends undefined>(
  events: NewEvent[],
  { eventType, toJson }: RecordKind<Content, Removal>,
  change: SavedChange<Content, Removal> | undefined,
): void {
  if (change?.origin === undefined) return;
  const { before, after, origin } = change;
  const item = after ?? before;
  if (item === undefined) return;
  const data = toJson(item);
  const isUpdate = before !== undefined && after !== undefined;
  events.push({
    type: eventType(before, after),
    at: origin.now,
    requestId: origin.requestId,
    data,
    previous: isUpdate ? changedMembers(toJson(before), data) : undefined,
  });
}
