import { digestOf } from '../../console/src/api/digest.ts';
import { parseCsv } from '../../console/src/files/csv.ts';
import { findInCatalogue } from '../../console/src/import/catalogue-match.ts';
import type { ImportPlan } from '../../console/src/import/import-plan.ts';
import { guessMapping, type Mapping } from '../../console/src/import/prepare/mapping.ts';
import { planImport } from '../../console/src/import/prepare/plan-import.ts';
import { readRows } from '../../console/src/import/prepare/read-rows.ts';
import type { KnownCategories } from '../../console/src/import/run/import-categories.ts';
import {
  digestOfSheet,
  type ImportRecord,
  readRecord,
  type Service,
} from '../../console/src/import/run/import-record.ts';
import { newResults, runImport } from '../../console/src/import/run/import-run.ts';
import {
  newUndoResults,
  type UndoScope,
  undoImport,
} from '../../console/src/import/run/import-undo.ts';
import { comparableName } from '../../src/domain/name.ts';

export interface Chosen {
  readonly record: ImportRecord;
  readonly plan: ImportPlan;
}

/** The import of a page of the console, without the page. */
export function openImporter(service: Service) {
  let stop = new AbortController();
  const end = new AbortController();
  let onProgress = () => {};
  const stops = () => ({ stop: stop.signal, signal: end.signal });

  async function readCategories(): Promise<KnownCategories> {
    const all = await service.api.categories.list({ limit: 100 }).toArray({ max: 2000 });
    const nameOf = (name: string) => comparableName(name.trim());
    return {
      findCategory: (name) => all.find((one) => nameOf(one.name) === nameOf(name)),
      categoryName: (id) => all.find((one) => one.id === id)?.name,
      onCreated: (category) => void all.push(category),
    };
  }

  return {
    /** Reads a file, and plans its import with all new categories, and rows that are equal. */
    async choose(text: string, answers: Partial<Mapping> = {}): Promise<Chosen> {
      const fileDigest = await digestOf(new TextEncoder().encode(text));
      const record = await readRecord(await digestOfSheet(fileDigest, ''), service, {});
      const { findCategory, categoryName } = await readCategories();
      const index = { idOf: (name: string) => findCategory(name)?.id, nameOf: categoryName };
      const csv = parseCsv(text);
      const mapping: Mapping = { ...guessMapping(csv.rows), repeated: 'add', ...answers };
      const { categoryWords: words } = readRows(csv, mapping, index);
      const categoryWords = new Map(
        words.flatMap(({ key, newName }) =>
          newName === undefined ? [] : [[key, { kind: 'new', text: newName }] as const],
        ),
      );
      const answered = { ...mapping, categoryWords };
      const read = readRows(csv, answered, index);
      const ids = read.rows.flatMap(({ animalId }) => animalId ?? []);
      const known =
        ids.length === 0 ? [] : await service.api.pets.list({ ids }).toArray({ max: 100 });
      const pets = new Map(known.map((pet) => [pet.id, pet]));
      const added = read.rows.filter(({ animalId }) => animalId === undefined);
      const { rows: imported } = record;
      const search = { sessionApi: service.api, signal: end.signal, imported };
      const found = await findInCatalogue(added, search);
      return { record, plan: planImport(read, answered, { pets, found, imported }) };
    },
    /** Imports, or continues an import. Returns the counts of outcomes, and the reasons of rows that are left out. */
    async start({ record, plan }: Chosen, results = newResults()) {
      stop = new AbortController();
      const categories = await readCategories();
      const { digest } = record;
      const run = { plan, digest, service, categories, results, onSearch: () => {} };
      const error: unknown = await runImport({
        ...run,
        ...stops(),
        onProgress: () => onProgress(),
      }).catch((reason) => reason);
      const outcomes = [...results.rows.values()];
      const faults = outcomes.flatMap((one) => (typeof one === 'string' ? [] : [one.reason]));
      const countOf = (wanted: string) => outcomes.filter((one) => one === wanted).length;
      const [added, changed, there] = ['added', 'changed', 'there'].map(countOf);
      return { results, error, counts: { added, changed, there }, faults };
    },
    /** Undoes all imports of the file, or a part. */
    async undo({ record }: Chosen, scope?: UndoScope, results = newUndoResults()) {
      stop = new AbortController();
      const all = { rows: [...record.rows.keys()], categoryIds: undefined };
      const run = { digest: record.digest, service, scope: scope ?? all, results };
      const error: unknown = await undoImport({
        ...run,
        ...stops(),
        onProgress: () => onProgress(),
        onCategoryRemoved: () => {},
      }).catch((reason) => reason);
      const outcomes = [...results.rows.values()];
      const kept = outcomes.flatMap((one) => (typeof one === 'string' ? [] : [one]));
      const removed = outcomes.filter((one) => one === 'removed').length;
      const gone = outcomes.filter((one) => one === 'gone').length;
      return { results, error, removed, gone, kept, categoryCount: results.categoryCount };
    },
    stop: () => stop.abort(),
    /** Ends requests at once, as a crash of the browser. */
    kill: () => end.abort(),
    set onProgress(act: () => void) {
      onProgress = act;
    },
  };
}
