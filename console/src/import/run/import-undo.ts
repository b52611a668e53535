import type { Pet } from '../../../../client/src/contract.ts';
import { type AnimalStoreError, isAnimalStoreError } from '../../../../client/src/error.ts';
import { announceOwnChange } from '../../api/live.ts';
import {
  createReport,
  createRetry,
  oneAttempt,
  type Retry,
  type Stops,
  undefinedIf,
} from '../../api/retry.ts';
import { type Api, messageOf } from '../../api/service.ts';
import { currentApi } from '../../api/session.ts';
import { categoryName } from '../../categories/categories-state.ts';
import { inParallel } from '../../files/in-parallel.ts';
import { undoTexts as texts } from '../../texts/import.ts';
import { digestOfCategory, findUnrecorded } from './check-record.ts';
import { type AddedRecord, type ImportRecord, saveRecord } from './import-record.ts';

interface KeptAnimal {
  readonly id: bigint;
  readonly name: string;
  readonly reason: string;
}

/** `gone` was deleted by another user. */
type UndoResult = 'removed' | 'gone' | KeptAnimal;

export interface UndoResults {
  /** By the index of the row. */
  readonly rows: Map<number, UndoResult>;
  /** The categories that were removed. */
  categoryCount: number;
}

/** What one run of an import added. */
export interface UndoScope {
  readonly rows: ReadonlySet<number>;
  readonly categoryNames: readonly string[];
}

interface UndoRun extends Stops {
  readonly record: ImportRecord;
  /** Without it, all imports of the file are undone. */
  readonly scope: UndoScope | undefined;
  /** Of the animals that are done. An Undo that was stopped continues with the others. */
  readonly results: UndoResults;
  readonly onProgress: (isWaiting: boolean) => void;
}

const parallelCount = 4;
const batchRows = 50;

interface Undoing extends UndoRun {
  readonly sessionApi: Api;
  readonly retry: Retry;
}

/** Removes the animals that imports added, except those that were changed or ordered since, and then their empty categories. */
export async function undoImport(options: UndoRun): Promise<void> {
  const { record, scope, results, onProgress, stop, signal } = options;
  const report = createReport(onProgress);
  const sessionApi = currentApi();
  const retry = createRetry({ stop, signal, sessionApi, onWaiting: () => report(true) });
  const run = { ...options, sessionApi, retry };

  async function undoRow([index, added]: readonly [number, AddedRecord]): Promise<void> {
    try {
      const result = await removeAnimal(run, added);
      results.rows.set(index, result);
      if (typeof result === 'string') record.rows.delete(index);
    } catch (error) {
      // Its outcome is unknown, so the animal is removed when Undo continues.
      if (!stop.aborted || isAnimalStoreError(error)) throw error;
    }
    report(false);
  }

  await retry(() => findUnrecorded(record, sessionApi, signal));
  const isInScope = (index: number) => scope?.rows.has(index) !== false;
  const remaining = [...record.rows].filter(
    ([index]) => isInScope(index) && !results.rows.has(index),
  );
  try {
    for (let start = 0; start < remaining.length && !stop.aborted; start += batchRows) {
      const batch = remaining.slice(start, start + batchRows);
      await inParallel(batch, parallelCount, undoRow, stop).finally(() =>
        saveRecord(record, { rows: batch.map(([index]) => index) }),
      );
    }
    stop.throwIfAborted();
    await removeCategories(run);
    // What was sent and not found was not added.
    const sent = [...record.sent.keys()].filter(isInScope);
    for (const index of sent) record.sent.delete(index);
    await saveRecord(record, { sent });
  } finally {
    report(false, true);
  }
}

async function removeAnimal(run: Undoing, { id, etag }: AddedRecord): Promise<UndoResult> {
  const { record, sessionApi, retry, signal } = run;
  const options = { ...oneAttempt, signal };
  // After the page was closed, the same request has the same answer.
  const idempotencyKey = `undo-${record.startedAt}-${id}`;
  try {
    await retry(() => sessionApi.pets.delete(id, { ...options, ifMatch: etag, idempotencyKey }));
    return 'removed';
  } catch (error) {
    if (!isAnimalStoreError(error) || error.httpStatus === 401) throw error;
    if (error.code === 'not_found') return 'gone';
    const now = await retry(() => sessionApi.pets.update(id, {}, options)).catch(
      undefinedIf('not_found'),
    );
    if (now === undefined) return 'gone';
    return { id, name: now.name, reason: reasonOf(error, now) };
  }
}

function reasonOf(error: AnimalStoreError, { status }: Pet): string {
  if (error.code === 'precondition_failed') return texts.changed(status);
  return error.code === 'conflict' ? texts.ordered : messageOf(error);
}

/** Removes the categories that the imports created, unless they were changed or have animals. */
async function removeCategories(run: Undoing): Promise<void> {
  const { record, scope, results, sessionApi, retry, signal } = run;
  const options = { ...oneAttempt, signal };
  const digests = scope && new Set(await Promise.all(scope.categoryNames.map(digestOfCategory)));
  for (const [digest, added] of record.categories) {
    if (added === undefined || digests?.has(digest) === false) continue;
    const { id, etag } = added;
    const animals = await retry(() =>
      sessionApi.pets.list({ categoryId: id, limit: 1 }, options).toArray({ max: 1 }),
    );
    if (animals.length > 0) continue;
    const idempotencyKey = `undo-${record.startedAt}-category-${id}`;
    try {
      const name = categoryName(id) ?? '';
      await retry(() =>
        sessionApi.categories.delete(id, { ...options, ifMatch: etag, idempotencyKey }),
      );
      announceOwnChange({ type: 'category.deleted', data: { id, name } });
      results.categoryCount += 1;
    } catch (error) {
      const wasChanged = isAnimalStoreError(error, 'precondition_failed');
      if (!wasChanged && !isAnimalStoreError(error, 'not_found')) throw error;
    }
    record.categories.delete(digest);
    await saveRecord(record, { categories: [digest] });
  }
}
