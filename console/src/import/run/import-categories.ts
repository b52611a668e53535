import type { Category } from '../../../../client/src/contract.ts';
import { comparableName } from '../../../../src/domain/name.ts';
import { announceOwnChange } from '../../api/live.ts';
import { oneAttempt, type Retry, undefinedIf } from '../../api/retry.ts';
import type { Api } from '../../api/service.ts';
import { findCategory } from '../../categories/categories-state.ts';
import type { CategoryChoice } from '../../categories/category-choice.ts';
import type { ImportPlan } from '../import-plan.ts';
import { addedOf, digestOfCategory } from './check-record.ts';
import { createOnce, digestOfValues, isCreator, requestIdOf } from './import-keys.ts';
import { type ImportRecord, saveRecord } from './import-record.ts';

/** An import with the calls of the session in which it began. */
export interface Running {
  readonly plan: ImportPlan;
  /** Names the table of the file. */
  readonly sourceName: string;
  readonly record: ImportRecord;
  readonly sessionApi: Api;
  readonly retry: Retry;
  readonly signal: AbortSignal;
}

/** Creates the new categories of an import. Returns what finds the number of a choice. */
export async function createCategories(run: Running): Promise<(choice: CategoryChoice) => bigint> {
  const ids = new Map<string, bigint>();
  for (const { name, id } of run.plan.newCategories) {
    const key = id === undefined ? `new ${comparableName(name)}` : `number ${id}`;
    ids.set(key, await ensureCategory(run, name, id));
  }
  return ({ kind, text }) =>
    ids.get(`${kind} ${kind === 'new' ? comparableName(text) : text}`) ?? BigInt(text);
}

/** The number of a new category: the wanted one, unless a category of another name has it. */
async function ensureCategory(
  run: Running,
  name: string,
  wantedId: bigint | undefined,
): Promise<bigint> {
  if (wantedId !== undefined) {
    const created = await createCategory(run, name, wantedId).catch(
      undefinedIf('precondition_failed'),
    );
    if (created !== undefined) return created;
    // The number was given to a category after the file was chosen.
    const other = await findCategoryById(run, wantedId);
    if (other !== undefined && comparableName(other.name) === comparableName(name)) return wantedId;
  }
  // Another user may have created it.
  return findCategory(name)?.id ?? createCategory(run, name, undefined);
}

function findCategoryById(run: Running, id: bigint): Promise<Category | undefined> {
  const { sessionApi, retry, signal } = run;
  const read = () => sessionApi.categories.get(id, { ...oneAttempt, signal });
  return retry(read).catch(undefinedIf('not_found'));
}

/** Creates a category with a wanted number, or with a new one. */
async function createCategory(
  run: Running,
  name: string,
  wantedId: bigint | undefined,
): Promise<bigint> {
  const { record, sourceName, sessionApi, retry, signal } = run;
  const recordDigest = await digestOfCategory(name);
  const requestId = requestIdOf(record, recordDigest);
  record.categories.set(recordDigest, undefined);
  await saveRecord(record, { categories: [recordDigest] });
  const { created, isReplayed } = await createOnce(run, {
    requestId,
    digest: await digestOfValues(sourceName, 'category', comparableName(name), wantedId ?? ''),
    send: (options) =>
      wantedId === undefined
        ? sessionApi.categories.create({ name }, options)
        : sessionApi.categories.put(wantedId, { name }, { ...options, ifNoneMatch: '*' }),
    async exists(category) {
      if ((await findCategoryById(run, category.id)) !== undefined) return true;
      announceOwnChange({ type: 'category.deleted', data: category });
      return false;
    },
  });
  const { id } = created;
  const options = { ...oneAttempt, signal };
  const isOwn =
    !isReplayed ||
    (await retry(() => isCreator(sessionApi, `category:${id}`, requestId, options))) !== false;
  if (isOwn) record.categories.set(recordDigest, addedOf(created));
  else record.categories.delete(recordDigest);
  await saveRecord(record, { categories: [recordDigest] });
  announceOwnChange({ type: 'category.created', data: created });
  return id;
}
