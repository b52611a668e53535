import { isAnimalStoreError } from '../../../client/src/error.ts';
import { randomHex } from '../../../client/src/json.ts';
import { isRetryable } from '../../../client/src/retry.ts';
import { comparableName } from '../../domain/name.ts';
import { changeOf, newPetOf } from '../animals/members.ts';
import { inParallel } from '../api/in-parallel.ts';
import { announceOwnChange } from '../api/live.ts';
import { type Api, messageOf } from '../api/service.ts';
import { currentApi } from '../api/session.ts';
import type { CategoryChoice } from '../categories/category-choice.ts';
import { ensureCategory } from '../categories/category-picker.tsx';
import { progressTexts as texts } from '../texts/import.ts';
import { digestOf } from './import-file.ts';
import type { ImportPlan, PlannedRow, RowFault } from './import-plan.ts';

export interface ImportProgress {
  readonly doneCount: number;
  readonly addedCount: number;
  readonly faults: readonly RowFault[];
  /** Rows that were added before under the same key, and whose animals are deleted since. */
  readonly missing: readonly PlannedRow[];
  /** The server does not answer, and requests are retried. */
  readonly isWaiting: boolean;
}

export const noProgress: ImportProgress = {
  doneCount: 0,
  addedCount: 0,
  faults: [],
  missing: [],
  isWaiting: false,
};

/** This many animals are added at once. */
const parallelCount = 4;

interface ImportRun {
  readonly plan: ImportPlan;
  readonly fileDigest: string;
  readonly onProgress: (progress: ImportProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * Adds the planned rows. Each row has its own Idempotency-Key, of the file and its index: the same file adds nothing twice within
 * 24 hours. If the server cannot be reached, the import continues when it is back.
 */
export async function runImport(options: ImportRun): Promise<void> {
  const { plan, signal } = options;
  const report = createReport(options.onProgress);
  const retry = createRetry(signal, () => report({ isWaiting: true }));
  const run = { ...options, sessionApi: currentApi(), retry };
  const added = new Map<bigint, PlannedRow>();
  const faults: RowFault[] = [];
  const categoryOf = await ensureCategories(run);

  async function addRow(row: PlannedRow): Promise<void> {
    const { draft, index, line, animalId } = row;
    try {
      const idempotencyKey = keyOf(run, index);
      const categoryId = categoryOf(draft.category);
      const { pets } = run.sessionApi;
      if (animalId === undefined) {
        const pet = newPetOf(draft, categoryId);
        const { id } = await retry(() => pets.create(pet, { idempotencyKey, signal }));
        added.set(id, row);
      } else {
        const before = await retry(() => pets.update(animalId, {}, { signal }));
        const change = changeOf(draft, categoryId, before, plan.given);
        await retry(() => pets.update(animalId, change, { ifMatch: before, signal }));
        added.set(animalId, row);
      }
    } catch (error) {
      // Without a session, no further row can be added.
      if (isAnimalStoreError(error) && error.httpStatus === 401) throw error;
      if (signal.aborted) return;
      const isReused = isAnimalStoreError(error, 'idempotency_key_reused');
      const reason = isReused ? texts.otherValues : messageOf(error);
      faults.push({ index, line, column: texts.wholeRow, value: draft.name, reason });
    }
    const addedCount = added.size;
    report({ doneCount: addedCount + faults.length, addedCount, faults, isWaiting: false });
  }

  await inParallel(plan.rows, parallelCount, addRow, signal).finally(() => report({}, true));
  const missingIds = await retry(() => findMissing(run, [...added.keys()]));
  const missing = missingIds.flatMap((id) => added.get(id) ?? []);
  report({ addedCount: added.size - missing.length, missing }, true);
}

/** Reports at most ten times a second, because drawing takes longer than adding. */
function createReport(onProgress: ImportRun['onProgress']) {
  let progress = noProgress;
  let reportedAt = 0;
  return (change: Partial<ImportProgress>, isLast = false): void => {
    progress = { ...progress, ...change, isWaiting: change.isWaiting ?? false };
    if (!isLast && performance.now() - reportedAt < 100) return;
    reportedAt = performance.now();
    onProgress({ ...progress, faults: [...progress.faults] });
  };
}

type Retry = <Value>(act: () => Promise<Value>) => Promise<Value>;

/** An import with the calls of the session in which it began. */
type Running = ImportRun & { readonly sessionApi: Api; readonly retry: Retry };

/** Retries an action until the server is reached. An internal error of one row would repeat for ever. */
function createRetry(signal: AbortSignal, onWaiting: () => void): Retry {
  return async (act) => {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await act();
      } catch (error) {
        signal.throwIfAborted();
        if (!isAnimalStoreError(error) || !isRetryable(error) || error.httpStatus === 500)
          throw error;
        onWaiting();
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  };
}

function keyOf({ fileDigest }: ImportRun, part: string | number): string {
  return `import-${fileDigest.slice(0, 32)}-${part}`;
}

/** Creates the new categories of an import. Returns what finds the number of a choice. */
async function ensureCategories(run: Running): Promise<(choice: CategoryChoice) => bigint> {
  const { plan, sessionApi, retry, signal } = run;

  async function ensure(choice: CategoryChoice): Promise<bigint> {
    const digest = await digestOf(new TextEncoder().encode(comparableName(choice.text)));
    const key = `${keyOf(run, 'category')}-${digest.slice(0, 16)}`;
    const id = await retry(() => ensureCategory(choice, key, sessionApi, signal));
    if (choice.kind !== 'new' || (await retry(() => exists(run, id)))) return id;
    // An earlier import of the same file created it, and it was deleted since.
    announceOwnChange({ type: 'category.deleted', data: { id, name: choice.text } });
    const again = `${key}-${randomHex()}`;
    return await retry(() => ensureCategory(choice, again, sessionApi, signal));
  }

  const created = new Map<string, bigint>();
  for (const { name, id } of plan.newCategories) {
    if (id === undefined) {
      created.set(comparableName(name), await ensure({ kind: 'new', text: name }));
    } else {
      const data = await retry(() => sessionApi.categories.put(id, { name }, { signal }));
      announceOwnChange({ type: 'category.created', data });
    }
  }
  return ({ kind, text }) =>
    (kind === 'new' ? created.get(comparableName(text)) : undefined) ?? BigInt(text);
}

async function exists({ sessionApi, signal }: Running, categoryId: bigint): Promise<boolean> {
  try {
    await sessionApi.categories.get(categoryId, { signal });
    return true;
  } catch (error) {
    if (isAnimalStoreError(error, 'not_found')) return false;
    throw error;
  }
}

/** The animals that an earlier import added, and that were deleted since. */
async function findMissing(
  { sessionApi, signal }: Running,
  ids: readonly bigint[],
): Promise<bigint[]> {
  const missing = new Set(ids);
  for (let index = 0; index < ids.length && !signal.aborted; index += 100) {
    const query = { ids: ids.slice(index, index + 100), limit: 100 };
    const found = await sessionApi.pets.list(query, { signal }).toArray({ max: 100 });
    for (const { id } of found) missing.delete(id);
  }
  return signal.aborted ? [] : [...missing];
}
