import { isAnimalStoreError } from '../../../client/src/error.ts';
import { randomHex } from '../../../client/src/json.ts';
import { isPassing } from '../../../client/src/retry.ts';
import { comparableText } from '../../domain/search.ts';
import { api, messageOf } from '../api/api.ts';
import { inParallel } from '../api/in-parallel.ts';
import { dropCategory } from '../categories/categories-state.ts';
import { type CategoryChoice, settleCategory } from '../categories/category-picker.tsx';
import type { ImportPlan, PlannedRow, RowFault } from './import-plan.ts';

export interface ImportProgress {
  readonly doneCount: number;
  readonly addedCount: number;
  readonly faults: readonly RowFault[];
  /** Those that were added before under the same key, and are deleted since. */
  readonly missing: readonly PlannedRow[];
  /** Where the server does not answer, and is asked again. */
  readonly isWaiting: boolean;
}

/** How many animals are added at once. */
const parallelCount = 4;

/**
 * Adds what was planned. Each row has an Idempotency-Key of its own, made of the file and its place: the same file again, within
 * 24 hours, adds nothing twice. Where the server cannot be reached, it goes on when it is back.
 */
export async function runImport(
  { rows, newCategories }: ImportPlan,
  fileDigest: string,
  categoryOfAll: CategoryChoice,
  onProgress: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const own = api;
  const faults: RowFault[] = [];
  const added = new Map<bigint, PlannedRow>();
  const missing: PlannedRow[] = [];
  let doneCount = 0;
  let addedCount = 0;
  let toldAt = 0;
  /** Ten times a second at most: to draw takes longer than to add. */
  function tell(isWaiting: boolean, isLast = false): void {
    if (!isLast && performance.now() - toldAt < 100) return;
    toldAt = performance.now();
    onProgress({ doneCount, addedCount, faults: [...faults], missing, isWaiting });
  }
  const keyOf = (place: string | number) => `import-${fileDigest.slice(0, 32)}-${place}`;

  /** Until the server has answered. */
  async function persist<Value>(act: () => Promise<Value>): Promise<Value> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await act();
      } catch (error) {
        signal.throwIfAborted();
        if (!isAnimalStoreError(error) || !isPassing(error)) throw error;
        tell(true);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  async function settle(choice: CategoryChoice): Promise<bigint> {
    const key = `${keyOf('category')}-${await digestText(comparableText(choice.text))}`;
    const id = await persist(() => settleCategory(choice, key, own, signal));
    if (choice.kind !== 'new' || (await persist(() => isThere(id, own, signal)))) return id;
    // An earlier import of the same file made it, and it was deleted since.
    dropCategory(id);
    const again = `${key}-${randomHex()}`;
    return await persist(() => settleCategory(choice, again, own, signal));
  }

  const idOfNew = new Map<string, bigint>();
  for (const text of newCategories) {
    idOfNew.set(comparableText(text), await settle({ kind: 'new', text }));
  }
  const needsOne = rows.some(({ category }) => category === undefined);
  const forAll = needsOne ? await settle(categoryOfAll) : 0n;

  function idOf({ category }: PlannedRow): bigint {
    if (category === undefined || 'id' in category) return category?.id ?? forAll;
    return idOfNew.get(comparableText(category.newName)) ?? forAll;
  }

  await inParallel(
    rows,
    parallelCount,
    async (row) => {
      const { name, status, index, line } = row;
      try {
        const { id } = await persist(() =>
          own.pets.create(
            { name, categoryId: idOf(row), status },
            { idempotencyKey: keyOf(index), signal },
          ),
        );
        added.set(id, row);
        addedCount += 1;
      } catch (error) {
        // Nothing more can be added.
        if (isAnimalStoreError(error) && error.httpStatus === 401) throw error;
        if (signal.aborted) return;
        const reason = reasonOf(error);
        faults.push({ index, line, column: 'the whole row', value: name, reason });
      }
      doneCount += 1;
      tell(false);
    },
    signal,
  ).finally(() => tell(false, true));

  const missingIds = await persist(() => findMissing([...added.keys()], own, signal));
  missing.push(...missingIds.flatMap((id) => added.get(id) ?? []));
  addedCount -= missing.length;
  tell(false, true);
}

async function isThere(
  categoryId: bigint,
  { categories }: typeof api,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await categories.get(categoryId, { signal });
    return true;
  } catch (error) {
    if (isAnimalStoreError(error, 'not_found')) return false;
    throw error;
  }
}

/** What was added by an earlier import may have been deleted since. */
async function findMissing(
  ids: readonly bigint[],
  { pets }: typeof api,
  signal: AbortSignal,
): Promise<readonly bigint[]> {
  const left = new Set(ids);
  for (let index = 0; index < ids.length && !signal.aborted; index += 100) {
    const query = { ids: ids.slice(index, index + 100), limit: 100 };
    const found = await pets.list(query, { signal }).toArray({ max: 100 });
    for (const { id } of found) left.delete(id);
  }
  return signal.aborted ? [] : [...left];
}

function reasonOf(error: unknown): string {
  return isAnimalStoreError(error, 'idempotency_key_reused')
    ? 'This row of the same file was added before, with other values.'
    : messageOf(error);
}

async function digestText(text: string): Promise<string> {
  return (await digestOf(new TextEncoder().encode(text))).slice(0, 16);
}

/** SHA-256, in hexadecimal. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
