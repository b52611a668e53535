import type { Pet } from '../../../client/src/contract.ts';
import type { AnimalStore, PetQuery } from '../../../client/src/store.ts';
import { foldText, searchedMax } from '../../../src/domain/search.ts';
import { parseInteger } from '../api/integer.ts';
import { groupBy } from '../files/group-by.ts';
import type { FoundAnimal, PlannedRow } from './import-plan.ts';

interface MatchOptions {
  readonly sessionApi: Pick<AnimalStore, 'pets' | 'inventory'>;
  readonly signal: AbortSignal;
  readonly onProgress?: (doneCount: number, totalCount: number) => void;
  /** Rows that an earlier import of the file added, with their animals. No other row gets one of these animals. */
  readonly imported?: ReadonlyMap<number, bigint>;
}

/** A row, with what its animal has in the catalogue. */
interface Wanted extends Pick<Pet, 'name' | 'categoryId'> {
  readonly row: PlannedRow;
}

const limit = 100;
const parallelCount = 4;

/**
 * The animals of the catalogue that have the name and the category of a row, by the index of the row. Names are compared as a
 * search compares them, without case and accents. Of equal rows, the second one needs a second animal.
 */
export async function findInCatalogue(
  rows: readonly PlannedRow[],
  options: MatchOptions,
): Promise<ReadonlyMap<number, FoundAnimal>> {
  const { imported = new Map<number, bigint>() } = options;
  const found = new Map<number, FoundAnimal>();
  const searched: Wanted[] = [];
  for (const row of rows) {
    const { name, category } = row.draft;
    const id = imported.get(row.index);
    // A category that does not exist yet has no animals.
    const categoryId = category.kind === 'new' ? undefined : parseInteger(category.text);
    if (id !== undefined) found.set(row.index, { id });
    else if (categoryId !== undefined) searched.push({ row, name: name.trim(), categoryId });
  }
  const wanted = groupBy(searched, keyOf);
  const pets = wanted.size === 0 ? [] : await readAnimals(wanted, options);
  const takenIds = new Set(imported.values());
  // The oldest first.
  const free = pets.filter(({ id }) => !takenIds.has(id)).reverse();
  const animals = groupBy(free, keyOf);
  for (const [key, equal] of wanted) {
    const equalRows = equal.map(({ row }) => row);
    for (const [index, pet] of pair(equalRows, animals.get(key) ?? [])) found.set(index, pet);
  }
  return found;
}

function keyOf({ name, categoryId }: Pick<Pet, 'name' | 'categoryId'>): string {
  return `${categoryId} ${foldText(name.trim())}`;
}

/** The animals that rows want, read with as few requests as possible. */
async function readAnimals(
  wanted: ReadonlyMap<string, readonly Wanted[]>,
  { sessionApi, signal, onProgress = () => {} }: MatchOptions,
): Promise<Pet[]> {
  const firsts = [...wanted.values()].flatMap((equal) => equal.slice(0, 1));
  const categoryIds = new Set(firsts.map(({ categoryId }) => categoryId));
  const counts = await sessionApi.inventory.count({ signal });
  const animalCount = Object.values(counts).reduce((sum, count) => sum + Number(count), 0);
  const searchRequests = wanted.size * Math.max(1, Math.ceil(animalCount / searchedMax));
  const listRequests = Math.ceil(animalCount / limit) + categoryIds.size;
  const queries: readonly PetQuery[] =
    searchRequests <= listRequests
      ? firsts.map(({ name, categoryId }) => ({ name, categoryId }))
      : [...categoryIds].map((categoryId) => ({ categoryId }));
  const totalCount = Math.min(searchRequests, listRequests);
  const pets = new Map<bigint, Pet>();
  let doneCount = 0;
  const remaining = queries.values();
  async function work(): Promise<void> {
    for (const query of remaining) {
      for await (const { items } of sessionApi.pets.list({ ...query, limit }, { signal }).pages()) {
        for (const pet of items) if (wanted.has(keyOf(pet))) pets.set(pet.id, pet);
        // Other users add animals during this time.
        onProgress(Math.min(++doneCount, totalCount), totalCount);
      }
    }
  }
  await Promise.all(Array.from({ length: parallelCount }, work));
  return [...pets.values()];
}

/** Gives each row an animal, first those that are equal in every letter and in their status. */
function pair(rows: readonly PlannedRow[], animals: readonly Pet[]): [number, Pet][] {
  const exactKeyOf = ({ name, status }: Pick<Pet, 'name' | 'status'>) => `${status} ${name}`;
  const equal = groupBy(animals, exactKeyOf);
  const pairs: [number, Pet][] = [];
  const remaining: PlannedRow[] = [];
  for (const row of rows) {
    const pet = equal.get(exactKeyOf(row.draft))?.shift();
    if (pet === undefined) remaining.push(row);
    else pairs.push([row.index, pet]);
  }
  const others = [...equal.values()].flat();
  for (const [position, { index }] of remaining.entries()) {
    const other = others[position];
    if (other !== undefined) pairs.push([index, other]);
  }
  return pairs;
}
