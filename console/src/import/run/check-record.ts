import { etagOf } from '../../../../client/src/store.ts';
import { comparableName } from '../../../../src/domain/name.ts';
import { draftOf, newPetOf } from '../../animals/members.ts';
import { versionOf } from '../../api/digest.ts';
import { splitIds } from '../../api/read-batch.ts';
import { undefinedIf } from '../../api/retry.ts';
import type { Api } from '../../api/service.ts';
import { categories } from '../../categories/categories-state.ts';
import { groupBy } from '../../files/group-by.ts';
import { digestOfValues, isCreator, requestIdOf } from './import-keys.ts';
import { type AddedRecord, type ImportRecord, saveRecord } from './import-record.ts';

const limit = 100;

/** Forgets the rows whose animals were deleted. They can be added again. */
export async function forgetDeleted(
  record: ImportRecord,
  sessionApi: Api,
  signal: AbortSignal,
): Promise<void> {
  const { rows } = record;
  const deleted = new Map([...rows].map(([index, { id }]) => [id, index]));
  let isUnchanged = false;
  for (const ids of splitIds([...deleted.keys()])) {
    const query = { ids, limit: ids.length };
    for await (const pet of sessionApi.pets.list(query, { signal })) {
      const added = rows.get(deleted.get(pet.id) ?? -1);
      isUnchanged ||= added?.etag === (await versionOf(pet));
      deleted.delete(pet.id);
    }
  }
  for (const index of deleted.values()) rows.delete(index);
  const before = [...rows.keys()];
  if (!isUnchanged && !(await isOfThisData(record, sessionApi, signal))) {
    rows.clear();
    record.categories.clear();
  }
  const forgotten = [...deleted.values(), ...before.filter((index) => !rows.has(index))];
  if (forgotten.length > 0) await saveRecord(record, { rows: forgotten });
}

/**
 * False if the server has other data since, with other animals of the same numbers. Also if the event that shows it is deleted:
 * all animals of the record were changed, so Undo would remove none of them.
 */
async function isOfThisData(
  record: ImportRecord,
  sessionApi: Api,
  signal: AbortSignal,
): Promise<boolean> {
  const [first] = record.rows;
  if (first === undefined) return true;
  const [index, { id }] = first;
  return (
    (await isCreator(sessionApi, `pet:${id}`, requestIdOf(record, index), { signal })) === true
  );
}

/** Finds what was added by requests whose answers are not recorded, because the page was closed or the server was killed. */
export async function findUnrecorded(
  record: ImportRecord,
  sessionApi: Api,
  signal: AbortSignal,
): Promise<void> {
  const indexes = await findAnimals(record, sessionApi, signal);
  const digests = await findCategories(record, sessionApi, signal);
  if (indexes.length + digests.length === 0) return;
  await saveRecord(record, { rows: indexes, sent: indexes, categories: digests });
}

/** An animal that was added by a row has the values of the row, and is newer. Returns the indexes of the rows. */
async function findAnimals(
  record: ImportRecord,
  sessionApi: Api,
  signal: AbortSignal,
): Promise<number[]> {
  const { rows, sent } = record;
  const { pets } = sessionApi;
  const indexes: number[] = [];
  const sentByDigest = groupBy(sent.keys(), (index) => sent.get(index)?.digest);
  const recordedIds = new Set([...rows.values()].map(({ id }) => id));
  const afterIds = [...sent.values()].map(({ afterId }) => afterId);
  if (afterIds.length === 0) return indexes;
  const from = afterIds.reduce((least, id) => (id < least ? id : least)) + 1n;

  async function findRow(equal: readonly number[], id: bigint): Promise<number | undefined> {
    for (const index of equal) {
      const requestId = requestIdOf(record, index);
      const isFound = await isCreator(sessionApi, `pet:${id}`, requestId, { signal });
      if (isFound !== false) return index;
    }
    return undefined;
  }

  for await (const pet of pets.list({ sort: 'id', from, limit }, { signal })) {
    if (recordedIds.has(pet.id)) continue;
    const digest = await digestOfValues(newPetOf(draftOf(pet), pet.categoryId));
    const equal = sentByDigest.get(digest)?.filter((index) => sent.has(index)) ?? [];
    const index = await findRow(equal, pet.id);
    if (index === undefined) continue;
    const now = await pets.update(pet.id, {}, { signal }).catch(undefinedIf('not_found'));
    if (now === undefined) continue;
    rows.set(index, addedOf(now));
    sent.delete(index);
    indexes.push(index);
    if (sent.size === 0) break;
  }
  return indexes;
}

/** Returns the digests of the names of the categories that were found. */
async function findCategories(
  { categories: recorded }: ImportRecord,
  sessionApi: Api,
  signal: AbortSignal,
): Promise<string[]> {
  const digests: string[] = [];
  if ([...recorded.values()].every((added) => added !== undefined)) return digests;
  for (const { id, name } of categories.peek()) {
    const digest = await digestOfCategory(name);
    if (!recorded.has(digest) || recorded.get(digest) !== undefined) continue;
    const now = await sessionApi.categories.get(id, { signal }).catch(undefinedIf('not_found'));
    if (now === undefined) continue;
    recorded.set(digest, addedOf(now));
    digests.push(digest);
  }
  return digests;
}

/** Names a category in a record. */
export function digestOfCategory(name: string): Promise<string> {
  return digestOfValues(comparableName(name));
}

/** What a record of an import has of an answer. */
export function addedOf(answer: { readonly id: bigint }): AddedRecord {
  return { id: answer.id, etag: etagOf(answer) ?? '' };
}
