import type { Pet, PetPatch } from '../../../../client/src/contract.ts';
import { randomHex } from '../../../../client/src/json.ts';
import { changeOf, draftOf, isSameDraft, newPetOf } from '../../animals/members.ts';
import { versionOf } from '../../api/digest.ts';
import {
  createReport,
  errorOf,
  type Stops,
  sendRows,
  untilAnswered,
  type Waiting,
} from '../../api/send-rows.ts';
import type { CategoryChoice } from '../../categories/category-choice.ts';
import type { RowResult } from '../../contract.ts';
import { errorText } from '../../texts/errors.ts';
import { progressTexts as texts } from '../../texts/import.ts';
import { findInCatalogue } from '../catalogue-match.ts';
import type { ImportPlan, PlannedRow, RowFault } from '../import-plan.ts';
import { createCategories, type KnownCategories } from './import-categories.ts';
import { type ImportRecord, readRecord, type Service } from './import-record.ts';

/** What became of a row: its animal was added or changed, was there already, or it was left out. */
type Outcome = 'added' | 'changed' | 'there' | RowFault;

export interface ImportResults {
  /** By the index of the row. */
  readonly rows: Map<number, Outcome>;
  /** The rows that this page sent, and whose answer was lost. */
  readonly unanswered: Set<number>;
  /** The animals that were found for rows after the preview. */
  readonly found: Map<number, bigint>;
  readonly categoryIds: Set<bigint>;
  /** Begins the keys of the changes, so that a repeated one changes nothing. */
  readonly keyPrefix: string;
}

export function newResults(): ImportResults {
  return {
    rows: new Map(),
    unanswered: new Set(),
    found: new Map(),
    categoryIds: new Set(),
    keyPrefix: `import-${randomHex()}`,
  };
}

interface ImportRun extends Stops {
  readonly plan: ImportPlan;
  /** Of the import. */
  readonly digest: string;
  readonly service: Service;
  readonly categories: KnownCategories;
  /** Of the rows that are done. An import that was stopped continues with the others. */
  readonly results: ImportResults;
  readonly onProgress: (isWaiting: boolean) => void;
  /** While the catalogue is searched. */
  readonly onSearch: (doneCount: number, totalCount: number) => void;
}

interface Running extends ImportRun, Waiting {
  readonly record: ImportRecord;
  readonly categoryOf: (choice: CategoryChoice) => bigint;
}

/**
 * Adds or changes animals. The server knows which rows an import has added, so that no row is added twice, from any browser. While
 * the server cannot be reached, the import waits. Throws the reason of `stop` if rows remain.
 */
export async function runImport(options: ImportRun): Promise<void> {
  const { digest, service, categories, results, onProgress } = options;
  const report = createReport(onProgress);
  const begun = { ...options, onProgress: report, onWaiting: () => report(true) };
  const onCreated: KnownCategories['onCreated'] = (category) => {
    results.categoryIds.add(category.id);
    categories.onCreated(category);
  };
  try {
    // Another browser can have imported the file since it was chosen here.
    const record = await untilAnswered((call) => readRecord(digest, service, call), begun);
    const categoryOf = await createCategories({
      ...begun,
      categories: { ...categories, onCreated },
    });
    const run: Running = { ...begun, record, categoryOf };
    await findAgain(run);
    await addAnimals(run, remainingRows(run));
    await changeAnimals(run, remainingRows(run));
  } finally {
    report(false, true);
  }
}

function remainingRows({ plan, results }: ImportRun): readonly PlannedRow[] {
  return plan.rows.filter(({ index }) => !results.rows.has(index));
}

/** Finds the rows whose animals were added to the catalogue after the preview. They are there already. */
async function findAgain(run: Running): Promise<void> {
  const { plan, record, results, service, stop, categoryOf, onSearch } = run;
  const shown = [...plan.skipped, ...plan.rows].flatMap(({ index, found }) =>
    found === undefined ? [] : [[index, found.id] as const],
  );
  const imported = new Map([...shown, ...results.found, ...record.rows]);
  const rows = remainingRows(run)
    .filter(({ index, animalId }) => animalId === undefined && !imported.has(index))
    .map((row): PlannedRow => {
      // A category that was new in the preview can have animals by now.
      const text = String(categoryOf(row.draft.category));
      return { ...row, draft: { ...row.draft, category: { kind: 'number', text } } };
    });
  // It changes nothing, so that Stop ends it at once.
  const options = { sessionApi: service.api, signal: stop, onProgress: onSearch, imported };
  const found = await untilAnswered(() => findInCatalogue(rows, options), run);
  for (const [index, { id }] of found) {
    results.found.set(index, id);
    results.rows.set(index, 'there');
  }
}

async function addAnimals(run: Running, remaining: readonly PlannedRow[]): Promise<void> {
  const { record, digest, service, results, categoryOf } = run;
  const added = remaining.filter(({ animalId }) => animalId === undefined);
  await sendRows(added, {
    ...run,
    send: (sent, options) => {
      const rows = sent.map(({ index, draft }) => ({
        row: index,
        pet: newPetOf(draft, categoryOf(draft.category)),
        replaces: record.deleted.get(index),
      }));
      const input = { parameters: { source: digest }, body: { rows } };
      return service.callConsole('importPets', input, options);
    },
    onUnanswered: ({ index }) => results.unanswered.add(index),
    onResults: (all) =>
      noteResults(run, all, (row, result) => {
        if (result.status === 201) return 'added';
        if (result.status !== 200) return faultOf(row, errorText(errorOf(result)));
        // Another browser has added it, or this page with a request whose answer was lost.
        return results.unanswered.has(row.index) ? 'added' : 'there';
      }),
  });
}

/** A row without an outcome is sent again. */
function noteResults<Row extends PlannedRow>(
  { results, onProgress }: Running,
  all: readonly (readonly [Row, RowResult])[],
  outcomeOf: (row: Row, result: RowResult) => Outcome | undefined,
): void {
  for (const [row, result] of all) {
    const outcome = outcomeOf(row, result);
    if (outcome !== undefined) results.rows.set(row.index, outcome);
  }
  onProgress(false);
}

function faultOf({ index, line, draft }: PlannedRow, reason: string): RowFault {
  return { index, line, column: texts.wholeRow, value: draft.name, reason };
}

/** A row with the animal that it changes, as it was read last. */
interface ChangedRow extends PlannedRow {
  readonly before: Pet;
}

/** Changes what differs, unless another user has changed it since the user saw it. */
async function changeAnimals(run: Running, remaining: readonly PlannedRow[]): Promise<void> {
  const { plan, service, results } = run;
  let changes: readonly ChangedRow[] = remaining.flatMap((row) =>
    row.before === undefined ? [] : [{ ...row, before: row.before }],
  );
  for (let attempt = 1; changes.length > 0; attempt += 1) {
    const again: ChangedRow[] = [];
    const differing = changes.filter((row) => {
      const isSame = Object.keys(changeFor(run, row)).length === 0;
      if (isSame) results.rows.set(row.index, 'there');
      return !isSame;
    });
    await sendRows(differing, {
      ...run,
      async send(sent, options) {
        const rows = sent.map(async (row) => ({
          key: `${results.keyPrefix}-${row.index}-${attempt}`,
          action: 'update' as const,
          id: row.before.id,
          ifMatch: await versionOf(row.before),
          pet: changeFor(run, row),
        }));
        const body = { rows: await Promise.all(rows) };
        return service.callConsole('changePets', { body }, options);
      },
      onResults: (all) =>
        noteResults(run, all, (row, result) => {
          if (result.status === 200) return 'changed';
          const { code, pet: now } = result;
          if (code !== 'precondition_failed' || now === undefined)
            return faultOf(row, errorText(errorOf(result)));
          const changed = { ...row, before: now };
          const isDone = Object.keys(changeFor(run, changed)).length === 0;
          if (!isDone && !isSameDraft(draftOf(row.before), draftOf(now), plan.given))
            return faultOf(row, texts.changedSince);
          again.push(changed);
          return undefined;
        }),
    });
    changes = again;
  }
}

function changeFor({ plan, categoryOf }: Running, { draft, before }: ChangedRow): PetPatch {
  const categoryId = categoryOf(draft.category);
  const category: CategoryChoice = { kind: 'number', text: String(categoryId) };
  return changeOf({ ...draft, category }, categoryId, before, plan.given);
}
