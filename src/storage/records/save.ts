import { changedMembers, type NewEvent } from '../../domain/event.ts';
import { type PetStatus, zeroCounts } from '../../domain/pet.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { appendEvents } from '../feed/event-feed.ts';
import type { Row, Transaction } from '../queryable.ts';
import {
  type CausedChanges,
  newId,
  type RecordChange,
  type RecordKind,
  type StoredRecord,
} from './record-kind.ts';
import { changeWorkspace } from './workspace-row.ts';

/**
 * Saves changes of one workspace, in order: their rows, counts and events. `takenIds` is the number of ids to
 * take. By default, it is one for each new record. Returns the records as they are saved, or undefined if the workspace does not exist.
 */
export async function saveRecords<Item extends StoredRecord>(
  transaction: Transaction,
  workspaceId: Int64,
  kind: RecordKind<Item>,
  changes: readonly RecordChange<Item>[],
  {
    takenIds,
    caused,
  }: { readonly takenIds?: number; readonly caused?: CausedChanges | undefined } = {},
): Promise<readonly (Item | undefined)[] | undefined> {
  const causedChanges = caused?.changes.filter((change) => change !== undefined) ?? [];
  const counts = zeroCounts();
  addCounts(counts, kind, changes);
  if (caused !== undefined) addCounts(counts, caused.kind, causedChanges);
  const change = {
    ids: { [kind.table]: takenIds ?? changes.filter(needsId).length },
    counts,
    eventCount: countEvents(changes) + countEvents(causedChanges),
  };
  const firstIds = await changeWorkspace(transaction, workspaceId, change);
  if (firstIds === undefined) return undefined;
  const saved = assignIds(changes, firstIds[kind.table]);
  saveRows(transaction, workspaceId, kind, saved);
  if (caused !== undefined) saveRows(transaction, workspaceId, caused.kind, causedChanges);
  const events: NewEvent[] = [];
  for (const [index, change] of saved.entries()) {
    addEvent(events, kind, change);
    if (caused !== undefined) addEvent(events, caused.kind, caused.changes[index]);
  }
  if (firstIds.events === undefined || events.length !== change.eventCount) {
    throw new Error(`${events.length} events for ${change.eventCount} places in the feed`);
  }
  appendEvents(transaction, workspaceId, firstIds.events, events);
  return saved.map(({ after }) => after);
}

function assignIds<Item extends StoredRecord>(
  changes: readonly RecordChange<Item>[],
  firstId: Int64 | undefined,
): readonly RecordChange<Item>[] {
  let nextId = firstId;
  return changes.map((change) => {
    const { after, origin } = change;
    if (after?.id !== newId) return change;
    if (nextId === undefined) throw new Error('Ids of this kind are not assigned');
    const id = nextId;
    nextId += 1n;
    return { after: { ...after, id }, origin };
  });
}

function needsId({ after }: RecordChange<StoredRecord>): boolean {
  return after?.id === newId;
}

function countEvents(changes: readonly RecordChange<StoredRecord>[]): number {
  return changes.reduce((sum, { origin }) => (origin === undefined ? sum : sum + 1), 0);
}

function addCounts<Item extends StoredRecord>(
  counts: Record<PetStatus, number>,
  { countedAs }: RecordKind<Item>,
  changes: readonly RecordChange<Item>[],
): void {
  if (countedAs === undefined) return;
  for (const { before, after } of changes) {
    if (before !== undefined) counts[countedAs(before)] -= 1;
    if (after !== undefined) counts[countedAs(after)] += 1;
  }
}

function saveRows<Item extends StoredRecord>(
  transaction: Transaction,
  workspaceId: Int64,
  { table, toRow, deleteRows }: RecordKind<Item>,
  changes: readonly RecordChange<Item>[],
): void {
  const created: Row[] = [];
  // The last of several changes of a record is what remains.
  const changed = new Map<Int64, Row>();
  const removed = new Set<Int64>();
  for (const { before, after } of changes) {
    if (after === undefined) {
      if (before !== undefined) removed.add(before.id);
    } else if (before === undefined) created.push(toRow(workspaceId, after));
    else changed.set(after.id, toRow(workspaceId, after));
  }
  if (created.length > 0) transaction.insert(table, created);
  if (changed.size > 0) transaction.insert(table, [...changed.values()], 'replace');
  if (removed.size > 0) transaction.runDeferred(deleteRows, [workspaceId, [...removed]]);
}

function addEvent<Item extends StoredRecord>(
  events: NewEvent[],
  { eventType, toJson, toEventJson = toJson }: RecordKind<Item>,
  change: RecordChange<Item> | undefined,
): void {
  if (change?.origin === undefined) return;
  const { before, after, origin } = change;
  const item = after ?? before;
  if (item === undefined) return;
  const data = toEventJson(item);
  const isUpdate = before !== undefined && after !== undefined;
  events.push({
    type: eventType(before, after),
    at: origin.now,
    requestId: origin.requestId,
    actor: origin.actor,
    recordId: item.id,
    data,
    previous: isUpdate ? changedMembers(toEventJson(before), data) : undefined,
  });
}
