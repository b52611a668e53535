import type { Pet } from '../../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../../client/src/error.ts';
import { randomHex } from '../../../../client/src/json.ts';
import { changeOf, type Draft, draftOf, isSame, members, newPetOf } from '../../animals/members.ts';
import { createReport, createRetry, oneAttempt, type Stops, undefinedIf } from '../../api/retry.ts';
import { messageOf } from '../../api/service.ts';
import { currentApi } from '../../api/session.ts';
import type { CategoryChoice } from '../../categories/category-choice.ts';
import { inParallel } from '../../files/in-parallel.ts';
import { progressTexts as texts } from '../../texts/import.ts';
import { findInCatalogue } from '../catalogue-match.ts';
import { eitherSignal } from '../either-signal.ts';
import type { ImportPlan, PlannedRow, RowFault } from '../import-plan.ts';
import { addedOf, findUnrecorded } from './check-record.ts';
import { createCategories, type Running } from './import-categories.ts';
import { createOnce, digestOfValues, isCreator, requestIdOf } from './import-keys.ts';
import { beginRecord, saveRecord } from './import-record.ts';

/** What became of a row: its animal was added or changed, was there already, or it was left out. */
type RowResult = 'added' | 'changed' | 'there' | RowFault;

export interface ImportResults {
  /** By the index of the row. */
  readonly rows: Map<number, RowResult>;
  /** The rows that this page sent, and that have no answer. */
  readonly unanswered: Set<number>;
  /** The animals that were found for rows after the preview. */
  readonly found: Map<number, bigint>;
}

interface ImportRun extends Stops, Pick<Running, 'plan' | 'sourceName' | 'record'> {
  /** Of the rows that are done. An import that was stopped continues with the others. */
  readonly results: ImportResults;
  readonly onProgress: (isWaiting: boolean) => void;
  /** While the catalogue is searched. */
  readonly onSearch: (doneCount: number, totalCount: number) => void;
}

interface RunningRows extends Running {
  readonly results: ImportResults;
  readonly categoryOf: (choice: CategoryChoice) => bigint;
  /** Animals of other rows, which are not sent. No row gets one of them. */
  readonly takenIds: ReadonlySet<bigint>;
  /** No animal of which this page knows has a higher number. */
  newestId: bigint;
}

/** This many animals are added at once. */
const parallelCount = 4;

/** The record is stored before and after this many rows. */
const batchRows = 50;

/**
 * Adds or changes animals, batch by batch. Each row has its own key, so that no row is added twice, also on
 * another computer. While the server cannot be reached, the import waits. Throws the reason of `stop` if rows remain.
 */
export async function runImport(options: ImportRun): Promise<void> {
  const { plan, record, results, onProgress, stop, signal } = options;
  const report = createReport(onProgress);
  const sessionApi = currentApi();
  const retry = createRetry({ stop, signal, sessionApi, onWaiting: () => report(true) });
  // Another tab can have imported the file since it was chosen here.
  await retry(() => findUnrecorded(record, sessionApi, signal));
  const [newest] = await retry(() =>
    sessionApi.pets.list({ limit: 1 }, { ...oneAttempt, signal }).toArray({ max: 1 }),
  );
  await beginRecord(record);
  const begun = { ...options, sessionApi, retry };
  const run: RunningRows = {
    ...begun,
    categoryOf: await createCategories(begun),
    takenIds: new Set([
      ...[...record.rows.values()].map(({ id }) => id),
      ...plan.skipped.flatMap(({ found }) => found?.id ?? []),
    ]),
    newestId: newest?.id ?? 0n,
  };

  async function sendRow(row: PlannedRow): Promise<void> {
    const { index, line, draft } = row;
    try {
      const result = await (row.animalId === undefined ? addAnimal : changeAnimal)(run, row);
      results.rows.set(index, result);
    } catch (error) {
      // Without a session, no further row can be added.
      if (isAnimalStoreError(error) && error.httpStatus === 401) throw error;
      // Its outcome is unknown, so the row is sent again when the import continues.
      if (stop.aborted && !isAnimalStoreError(error)) {
        results.unanswered.add(index);
        return;
      }
      const reason = messageOf(error);
      results.rows.set(index, { index, line, column: texts.wholeRow, value: draft.name, reason });
    }
    report(false);
  }

  await findAgain({ ...run, stop }, options.onSearch);
  const remaining = plan.rows.filter(({ index }) => !results.rows.has(index));
  try {
    for (let start = 0; start < remaining.length && !stop.aborted; start += batchRows) {
      const batch = remaining.slice(start, start + batchRows);
      const indexes = batch.map(({ index }) => index);
      await noteSent(run, batch);
      await inParallel(batch, parallelCount, sendRow, stop).finally(() =>
        saveRecord(record, { rows: indexes, sent: indexes }),
      );
    }
    if (remaining.some(({ index }) => !results.rows.has(index))) stop.throwIfAborted();
  } finally {
    report(false, true);
  }
}

/** Finds the rows whose animals were added to the catalogue after the preview. They are there already. */
async function findAgain(
  run: RunningRows & Pick<Stops, 'stop'>,
  onProgress: ImportRun['onSearch'],
): Promise<void> {
  const { plan, record, results, sessionApi, retry, signal, stop, categoryOf } = run;
  const shown = [...plan.skipped, ...plan.rows].flatMap(({ index, found }) =>
    found === undefined ? [] : [[index, found.id] as const],
  );
  const recorded = [...record.rows].map(([index, { id }]) => [index, id] as const);
  const imported = new Map([...shown, ...results.found, ...recorded]);
  const rows = plan.rows
    .filter(({ index, animalId }) => animalId === undefined && !imported.has(index))
    .filter(({ index }) => !results.rows.has(index))
    .map((row): PlannedRow => {
      // A category that was new in the preview can have animals by now.
      const text = String(categoryOf(row.draft.category));
      return { ...row, draft: { ...row.draft, category: { kind: 'number', text } } };
    });
  const options = { sessionApi, signal: eitherSignal(stop, signal), onProgress, imported };
  const found = await retry(() => findInCatalogue(rows, options));
  for (const [index, { id }] of found) {
    results.found.set(index, id);
    results.rows.set(index, 'there');
  }
}

/** Records the rows of a batch before they are sent, so that their animals are found if the page is closed. */
async function noteSent(run: RunningRows, batch: readonly PlannedRow[]): Promise<void> {
  const { record, newestId } = run;
  const added = batch.filter(({ animalId }) => animalId === undefined);
  for (const { index, draft } of added) {
    const digest = await digestOfValues(newPetOf(draft, run.categoryOf(draft.category)));
    const afterId = record.sent.get(index)?.afterId ?? newestId;
    record.sent.set(index, { digest, afterId });
  }
  await saveRecord(record, { sent: added.map(({ index }) => index) });
}

async function addAnimal(run: RunningRows, row: PlannedRow): Promise<RowResult> {
  const { record, sourceName, sessionApi, retry, signal, takenIds } = run;
  const { index, draft } = row;
  const recorded = record.rows.get(index);
  if (recorded !== undefined && (await readAnimal(run, recorded.id)) !== undefined)
    return run.results.unanswered.has(index) ? 'added' : 'there';
  const pet = newPetOf(draft, run.categoryOf(draft.category));
  const requestId = requestIdOf(record, index);
  const { created, isReplayed } = await createOnce(run, {
    requestId,
    digest: await digestOfValues(sourceName, index, pet),
    send: (options) => sessionApi.pets.create(pet, options),
    exists: async ({ id }) => !takenIds.has(id) && (await readAnimal(run, id)) !== undefined,
  });
  const { id } = created;
  const { afterId = 0n } = record.sent.get(index) ?? {};
  if (id > run.newestId) run.newestId = id;
  let isOwn = !isReplayed;
  // An older animal is of an earlier import, and a newer one can be of another computer.
  if (isReplayed && id > afterId) {
    const options = { ...oneAttempt, signal };
    const isFound = await retry(() => isCreator(sessionApi, `pet:${id}`, requestId, options));
    isOwn = isFound !== false;
  }
  record.sent.delete(index);
  if (!isOwn) {
    run.results.found.set(index, id);
    return 'there';
  }
  record.rows.set(index, addedOf(created));
  return 'added';
}

/** Changes what differs, unless another user has changed it since the user saw it. */
async function changeAnimal(run: RunningRows, row: PlannedRow): Promise<RowResult> {
  const { plan, sessionApi, retry, signal } = run;
  const { index, line, animalId = 0n, draft } = row;
  const categoryId = run.categoryOf(draft.category);
  const wanted: Draft = { ...draft, category: { kind: 'known', text: String(categoryId) } };
  for (;;) {
    const before = await retry(() =>
      sessionApi.pets.update(animalId, {}, { ...oneAttempt, signal }),
    );
    const change = changeOf(wanted, categoryId, before, plan.given);
    if (Object.keys(change).length === 0)
      return run.results.unanswered.has(index) ? 'changed' : 'there';
    if (row.before !== undefined && !isSameIn(plan.given, row.before, before))
      return { index, line, column: texts.wholeRow, value: draft.name, reason: texts.changedSince };
    const options = { ...oneAttempt, signal, ifMatch: before, idempotencyKey: randomHex() };
    const changed = await retry(() => sessionApi.pets.update(animalId, change, options)).catch(
      undefinedIf('precondition_failed'),
    );
    if (changed !== undefined) return 'changed';
  }
}

function isSameIn(given: ImportPlan['given'], left: Pet, right: Pet): boolean {
  return members.every(
    (member) => !given.includes(member.name) || isSame(member, draftOf(left), draftOf(right)),
  );
}

/** An animal with its version. Undefined if it was deleted. */
function readAnimal({ sessionApi, retry, signal }: Running, id: bigint): Promise<Pet | undefined> {
  const options = { ...oneAttempt, signal };
  return retry(() => sessionApi.pets.update(id, {}, options)).catch(undefinedIf('not_found'));
}
