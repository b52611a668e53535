import type { EventType } from '../../domain/event.ts';
import type { Pet, PetStatus } from '../../domain/pet.ts';
import type { ChangeOrigin } from '../../domain/record.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { type Int64, int64Max } from '../../domain/values/int64.ts';
import type { Queryable, Row, Transaction } from '../queryable.ts';
import { columnList, memberNames, type TableName, type TableOf, tables } from '../schema/tables.ts';
import { type Dialects, type Statement, statement } from '../statement.ts';

/** A record as it is stored. */
export interface StoredRecord {
  readonly id: Int64;
}

/** The id of a record that gets the next id when it is saved. No stored record has it. */
export const newId: Int64 = int64Max + 1n;

/** A creation has no `before`, a removal no `after`. A change without an origin appends no event. */
export interface RecordChange<Item extends StoredRecord> {
  readonly before?: Item | undefined;
  readonly after?: Item | undefined;
  readonly origin: ChangeOrigin | undefined;
}

/** Changes of animals. `changes[i]` is caused by the change with index i. */
export interface CausedChanges {
  readonly kind: RecordKind<Pet>;
  readonly changes: readonly (RecordChange<Pet> | undefined)[];
}

/** How records of one kind are read, saved, counted and shown in events. */
export interface RecordKind<Item extends StoredRecord> extends RecordTable<Item> {
  readonly toRow: (workspaceId: Int64, item: Item) => Row;
  /** The JSON that clients see. */
  readonly toJson: (item: Item) => object;
  /** The JSON of the record in events. The default is `toJson`. */
  readonly toEventJson?: (item: Item) => object;
  readonly eventType: (before: Item | undefined, after: Item | undefined) => EventType;
  /** The status that the workspace counts the record under. */
  readonly countedAs?: (item: Item) => PetStatus;
  /** Reads what a command needs to decide. The default is `readByIds`. */
  readonly readToChange?: RecordTable<Item>['readByIds'];
  /** Finds the changes of animals that these changes cause. */
  readonly findCaused?: (
    transaction: Transaction,
    workspaceId: Int64,
    changes: readonly RecordChange<Item>[],
  ) => Promise<CausedChanges>;
}

export type RecordTable<Item extends StoredRecord> = ReturnType<typeof recordTable<Item>>;

/** The statements on a table of records. */
export function recordTable<Item extends StoredRecord>(name: TableOf<Item>) {
  const table: TableName = name;
  const types: Readonly<Record<string, string>> = tables[table].columns;
  const names = Object.keys(types).filter((name) => !['workspace_id', 'digest'].includes(name));
  const columns = columnList(names);
  const optional = memberNames(names.filter((name) => types[name]?.endsWith('?')));
  const select = (text: string | Dialects): Statement<Item> => statement(text, [], optional);
  const ofWorkspace = `SELECT ${columns} FROM ${table} WHERE workspace_id = $1`;
  const selectById = select(`${ofWorkspace} AND id = $2`);
  const selectByIds = select(`${ofWorkspace} AND id = ANY ($2::bigint[])`);
  return {
    table,
    columns,
    /** Makes a statement that selects `columns`. */
    select,
    readById: (queryable: Queryable, workspaceId: Int64, id: Int64): Awaitable<Item | undefined> =>
      andThen(queryable.all(selectById, [workspaceId, id]), ([item]) => item),
    /** Those of these records that exist. */
    readByIds: (
      queryable: Queryable,
      workspaceId: Int64,
      ids: readonly Int64[],
    ): Awaitable<readonly Item[]> =>
      ids.length === 0 ? [] : queryable.all(selectByIds, [workspaceId, ids]),
    deleteRows: statement(
      `DELETE FROM ${table} WHERE workspace_id = $1 AND id = ANY ($2::bigint[])`,
    ),
  };
}
