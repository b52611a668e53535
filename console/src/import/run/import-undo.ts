import { isAnimalStoreError } from '../../../../client/src/error.ts';
import { randomHex } from '../../../../client/src/json.ts';
import {
  createReport,
  errorOf,
  type Stops,
  sendRows,
  untilAnswered,
  type Waiting,
} from '../../api/send-rows.ts';
import type { RowResult } from '../../contract.ts';
import { errorText } from '../../texts/errors.ts';
import { undoTexts as texts } from '../../texts/import.ts';
import type { Service } from './import-record.ts';

interface KeptAnimal {
  readonly id: bigint;
  readonly name: string;
  readonly reason: string;
}

/** `gone` was deleted by another user. `none` was not added. */
type UndoResult = 'removed' | 'gone' | 'none' | KeptAnimal;

export interface UndoResults {
  /** By the index of the row. */
  readonly rows: Map<number, UndoResult>;
  /** The categories that were removed. */
  categoryCount: number;
  /** Begins the keys of the requests that remove categories. */
  readonly keyPrefix: string;
}

export function newUndoResults(): UndoResults {
  return { rows: new Map(), categoryCount: 0, keyPrefix: `undo-${randomHex()}` };
}

/** What one run of an import added, or all imports of the file. */
export interface UndoScope {
  readonly rows: readonly number[];
  /** Undefined for all categories that imports of the file created. */
  readonly categoryIds: ReadonlySet<bigint> | undefined;
}

interface UndoRun extends Stops {
  /** Of the import. */
  readonly digest: string;
  readonly service: Service;
  readonly scope: UndoScope;
  /** Of the animals that are done. An Undo that was stopped continues with the others. */
  readonly results: UndoResults;
  readonly onProgress: (isWaiting: boolean) => void;
  readonly onCategoryRemoved: (id: bigint) => void;
}

/** Removes the animals that imports added, except those that were changed or ordered since, and then their empty categories. */
export async function undoImport(options: UndoRun): Promise<void> {
  const { digest, service, scope, results, onProgress } = options;
  const report = createReport(onProgress);
  const run = { ...options, onWaiting: () => report(true) };
  const remaining = scope.rows.filter((index) => !results.rows.has(index));
  try {
    await sendRows(remaining, {
      ...run,
      send: (rows, call) =>
        service.callConsole('undoImport', { parameters: { source: digest }, body: { rows } }, call),
      onResults(all) {
        for (const [index, result] of all) results.rows.set(index, outcomeOf(result));
        report(false);
      },
    });
    await removeCategories(run);
  } finally {
    report(false, true);
  }
}

function outcomeOf(result: RowResult): UndoResult {
  const { status, code, id, pet: now } = result;
  if (status === 204) return 'removed';
  if (status === 404) return id === undefined ? 'none' : 'gone';
  const isKept = code === 'precondition_failed' || code === 'conflict';
  if (isKept && now === undefined) return 'gone';
  const name = now?.name ?? '';
  if (code === 'conflict') return { id: id ?? 0n, name, reason: texts.ordered };
  const reason = now === undefined ? errorText(errorOf(result)) : texts.changed(now.status);
  return { id: id ?? 0n, name, reason };
}

/** Removes the categories that the imports created, unless they were changed or have animals. */
async function removeCategories(run: UndoRun & Waiting): Promise<void> {
  const { digest, service, scope, results, onCategoryRemoved } = run;
  const { api } = service;
  const input = { parameters: { source: digest }, query: {} };
  const { categories } = await untilAnswered(
    (call) => service.callConsole('getImport', input, call),
    run,
  );
  for (const { id, etag } of categories) {
    if (scope.categoryIds?.has(id) === false) continue;
    const animals = await untilAnswered(
      (call) => api.pets.list({ categoryId: id, limit: 1 }, call).toArray({ max: 1 }),
      run,
    );
    if (animals.length > 0) continue;
    const key = { ifMatch: etag, idempotencyKey: `${results.keyPrefix}-${id}` };
    try {
      await untilAnswered((call) => api.categories.delete(id, { ...call, ...key }), run);
      onCategoryRemoved(id);
      results.categoryCount += 1;
    } catch (error) {
      const wasChanged = isAnimalStoreError(error, 'precondition_failed');
      if (!wasChanged && !isAnimalStoreError(error, 'not_found')) throw error;
    }
  }
}
