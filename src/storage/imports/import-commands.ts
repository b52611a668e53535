import type { ImportCommands, ImportedRecord, ImportInput } from '../../domain/import.ts';
import { importMilliseconds } from '../../domain/import.ts';
import { recordVersion } from '../../domain/precondition.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import type { CommandInput } from '../contract/command-writer.ts';
import type { Transaction } from '../queryable.ts';
import { categoryKind, saveWantedCategories, toNewCategory } from '../records/categories.ts';
import { noSuchWorkspace } from '../records/change-records.ts';
import { petKind, petTable, toPet } from '../records/pets.ts';
import type { RecordKind, StoredRecord } from '../records/record-kind.ts';
import { saveRecords } from '../records/save.ts';
import { lockWorkspace, takeIds } from '../records/workspace-row.ts';
import { sha256 } from '../sha256.ts';
import { deleteFirst, statement } from '../statement.ts';

const selectImports = statement<{ id: Int64; source: string }>(
  'SELECT id, source FROM imports WHERE workspace_id = $1 AND source = ANY ($2::text[])',
);

/** Finds or begins the imports of these commands, by their sources, and moves their ends. The workspace is locked. */
async function openImports(
  transaction: Transaction,
  workspaceId: Int64,
  inputs: readonly ImportInput[],
): Promise<ReadonlyMap<string, Int64>> {
  const endOf = new Map(inputs.map(({ source, now }) => [source, now + importMilliseconds]));
  const sources = [...endOf.keys()];
  const found = await transaction.all(selectImports, [workspaceId, sources]);
  const ids = new Map(found.map(({ id, source }) => [source, id]));
  const added = sources.filter((source) => !ids.has(source));
  if (added.length > 0) {
    const { firstId = 0n } =
      (await takeIds(transaction, workspaceId, 'imports', added.length)) ?? {};
    for (const [index, source] of added.entries()) ids.set(source, firstId + BigInt(index));
  }
  const rows = [...ids].map(([source, id]) => ({
    ...{ workspaceId, id, source },
    expiresAt: endOf.get(source),
  }));
  transaction.insert('imports', rows, 'replace');
  return ids;
}

/** A command with its import. */
interface Located<Input> {
  readonly input: Input;
  readonly importId: Int64;
}

/** How records of one kind are imported. */
interface ImportRules<Input extends ImportInput, Item extends StoredRecord> {
  readonly name: 'category' | 'pet';
  readonly kind: RecordKind<Item>;
  readonly save: typeof saveRecords<Item>;
  /** What a command adds, to find others that add the same. */
  keyOf(located: Located<Input>): string;
  toItem(input: Input): Item;
  placeOf(input: Input, id: Int64): Int64 | number;
  /** What the imports of a workspace have added before, by the key. */
  findDone(
    transaction: Transaction,
    workspaceId: Int64,
    located: readonly Located<Input>[],
  ): Promise<ReadonlyMap<string, ImportedRecord>>;
}

/** Adds what the imports have not added before, with a record of it. Many at once cost little more than one. */
function importEach<Input extends ImportInput, Item extends StoredRecord>({
  name,
  kind,
  save,
  keyOf,
  toItem,
  placeOf,
  findDone,
}: ImportRules<Input, Item>) {
  return {
    keepsAccess: true,
    async runMany(transaction: Transaction, inputs: readonly [Input, ...Input[]]) {
      const [{ workspaceId }] = inputs;
      if (!(await lockWorkspace(transaction, workspaceId))) {
        return inputs.map(() => noSuchWorkspace);
      }
      const importIds = await openImports(transaction, workspaceId, inputs);
      const located = inputs.map((input) => ({
        input,
        importId: importIds.get(input.source) ?? 0n,
      }));
      const done = new Map(await findDone(transaction, workspaceId, located));
      const isDone = located.map((each) => {
        const key = keyOf(each);
        const before = done.has(key);
        // The first of two equal commands adds the record.
        if (!before) done.set(key, notSaved);
        return before;
      });
      const fresh = located.filter((_, index) => !isDone[index]);
      const changes = fresh.map(({ input }) => ({ after: toItem(input), origin: input.origin }));
      const saved = changes.length === 0 ? [] : await save(transaction, workspaceId, kind, changes);
      const rows = fresh.flatMap((each, index) => {
        const item = saved?.[index];
        if (item === undefined) return [];
        const { input, importId } = each;
        const version = recordVersion(JSON.stringify(kind.toJson(item)), sha256);
        done.set(keyOf(each), { id: item.id, version });
        const place = placeOf(input, item.id);
        return [{ workspaceId, importId, kind: name, place, recordId: item.id, version }];
      });
      transaction.insert('imported_records', rows, 'replace');
      return located.map((each, index) => {
        const record = done.get(keyOf(each)) ?? notSaved;
        return record === notSaved ? noSuchWorkspace : { ok: { ...record, isNew: !isDone[index] } };
      });
    },
  };
}

const notSaved: ImportedRecord = { id: 0n, version: '' };

interface RecordedRow extends ImportedRecord {
  readonly importId: Int64;
  readonly place: Int64;
}

const selectRecorded = statement<RecordedRow>(`
  SELECT import_id AS "importId", place, record_id AS id, version FROM imported_records
  WHERE workspace_id = $1 AND import_id = $2 AND kind = 'pet' AND place = ANY ($3::bigint[])`);

const selectRecordedCategories = statement<ImportedRecord & { importId: Int64; name: string }>(`
  SELECT import_id AS "importId", record_id AS id, version, name
  FROM imported_records JOIN categories
    ON categories.workspace_id = imported_records.workspace_id AND categories.id = record_id
  WHERE imported_records.workspace_id = $1 AND kind = 'category' AND import_id = ANY ($2::bigint[])`);

/** Those of the animals to be replaced that were deleted. */
async function findDeleted(
  transaction: Transaction,
  workspaceId: Int64,
  located: readonly Located<CommandInput<'importPet'>>[],
): Promise<ReadonlySet<Int64>> {
  const ids = [...new Set(located.flatMap(({ input: { replaces } }) => replaces ?? []))];
  const found = await petTable.readByIds(transaction, workspaceId, ids);
  return new Set(ids).difference(new Set(found.map(({ id }) => id)));
}

const deleteRows = deleteFirst(
  'imported_records',
  'workspace_id = $1 AND import_id = $3',
  'kind, place',
);
const selectExpired = statement<{ workspaceId: Int64; id: Int64 }>(
  'SELECT workspace_id AS "workspaceId", id FROM imports WHERE expires_at <= $1 ORDER BY expires_at, workspace_id, id LIMIT 1',
);
const selectIfExpired = statement(
  'SELECT 1 FROM imports WHERE workspace_id = $1 AND id = $2 AND expires_at <= $3 FOR UPDATE',
);
const deleteImport = statement('DELETE FROM imports WHERE workspace_id = $1 AND id = $2');

export const importCommands: CommandTable<keyof ImportCommands> = {
  importPet: importEach({
    name: 'pet',
    kind: petKind,
    save: saveRecords,
    keyOf: ({ importId, input: { row } }) => `${importId} ${row}`,
    toItem: ({ pet }: CommandInput<'importPet'>) => toPet(pet),
    placeOf: ({ row }) => row,
    async findDone(transaction, workspaceId, located) {
      const deleted = await findDeleted(transaction, workspaceId, located);
      const done = new Map<string, ImportedRecord>();
      for (const [importId, rows] of Map.groupBy(located, (each) => each.importId)) {
        const places = rows.map(({ input: { row } }) => BigInt(row));
        const found = await transaction.all(selectRecorded, [workspaceId, importId, places]);
        const replaced = new Map(rows.map(({ input }) => [input.row, input.replaces]));
        for (const { place, id, version } of found) {
          if (id === replaced.get(Number(place)) && deleted.has(id)) continue;
          done.set(`${importId} ${place}`, { id, version });
        }
      }
      return done;
    },
  }),
  importCategory: importEach({
    name: 'category',
    kind: categoryKind,
    save: saveWantedCategories,
    keyOf: ({ importId, input: { category, id = '' } }) => `${importId} ${id} ${category.name}`,
    toItem: ({ category, id }: CommandInput<'importCategory'>) => toNewCategory(category, id),
    placeOf: (_, id) => id,
    async findDone(transaction, workspaceId, located) {
      const importIds = [...new Set(located.map(({ importId }) => importId))];
      const found = await transaction.all(selectRecordedCategories, [workspaceId, importIds]);
      return new Map(
        found.flatMap(({ importId, name, id, version }) =>
          // Asked for by its number, or by its name alone.
          [id, ''].map((wanted) => [`${importId} ${wanted} ${name}`, { id, version }]),
        ),
      );
    },
  }),
  deleteExpiredImport: {
    keepsAccess: true,
    async run(transaction, { now, rowsMax }) {
      const [expired] = await transaction.all(selectExpired, [now]);
      if (expired === undefined) return { ok: false };
      const { workspaceId, id } = expired;
      // The workspace may be gone. A row that is added now has moved the end before this lock is acquired.
      await lockWorkspace(transaction, workspaceId);
      const left = await transaction.all(selectIfExpired, [workspaceId, id, now]);
      if (left.length === 0) return { ok: true };
      const count = await transaction.run(deleteRows, [workspaceId, rowsMax, id]);
      if (count < rowsMax) await transaction.run(deleteImport, [workspaceId, id]);
      return { ok: true };
    },
  },
};
