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

/** Rows of one folded name and category. */
interface Wanted {
  readonly name: string;
  readonly categoryId: bigint;
  readonly rows: PlannedRow[];
  readonly animals: Map<bigint, Pet>;
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
  const wanted = new Map<string, Wanted>();
  for (const row of rows) {
    const { name, category } = row.draft;
    const id = imported.get(row.index);
    // A category that does not exist yet has no animals.
    const categoryId = category.kind === 'new' ? undefined : parseInteger(category.text);
    if (id !== undefined) found.set(row.index, { id });
    else if (categoryId !== undefined) {
      const key = keyOf(name, categoryId);
      const equal: Wanted = wanted.get(key) ?? {
        name: name.trim(),
        categoryId,
        rows: [],
        animals: new Map(),
      };
      equal.rows.push(row);
      wanted.set(key, equal);
    }
  }
  if (wanted.size > 0) await readAnimals(wanted, options);
  const takenIds = new Set(imported.values());
  for (const { rows: equalRows, animals } of wanted.values()) {
    // The oldest first.
    const free = [...animals.values()].filter(({ id }) => !takenIds.has(id)).reverse();
    for (const [index, pet] of pair(equalRows, free)) found.set(index, pet);
  }
  return found;
}

function keyOf(name: string, categoryId: bigint): string {
  return `${categoryId} ${foldText(name.trim())}`;
}

/** Reads the animals of the wanted names, with as few requests as possible. */
async function readAnimals(
  wanted: ReadonlyMap<string, Wanted>,
  { sessionApi, signal, onProgress = () => {} }: MatchOptions,
): Promise<void> {
  const categoryIds = new Set([...wanted.values()].map(({ categoryId }) => categoryId));
  const counts = await sessionApi.inventory.count({ signal });
  const animalCount = Object.values(counts).reduce((sum, count) => sum + Number(count), 0);
  const searchRequests = wanted.size * Math.max(1, Math.ceil(animalCount / searchedMax));
  const listRequests = Math.ceil(animalCount / limit) + categoryIds.size;
  const queries: readonly PetQuery[] =
    searchRequests <= listRequests
      ? [...wanted.values()].map(({ name, categoryId }) => ({ name, categoryId }))
      : [...categoryIds].map((categoryId) => ({ categoryId }));
  const totalCount = Math.min(searchRequests, listRequests);
  let doneCount = 0;
  await inParallel(
    queries,
    parallelCount,
    async (query) => {
      for await (const { items } of sessionApi.pets.list({ ...query, limit }, { signal }).pages()) {
        for (const pet of items)
          wanted.get(keyOf(pet.name, pet.categoryId))?.animals.set(pet.id, pet);
        // Other users add animals during this time.
        onProgress(Math.min(++doneCount, totalCount), totalCount);
      }
    },
    signal,
  );
  signal.throwIfAborted();
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

/** Does something for each item, a few at once and in order, until it is done or stopped. */
async function inParallel<Item>(
  items: Iterable<Item>,
  count: number,
  act: (item: Item) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  async function work(): Promise<void> {
    for (let next = remaining.next(); next.done !== true; next = remaining.next()) {
      if (signal?.aborted === true) return;
      await act(next.value);
    }
  }
  await Promise.all(Array.from({ length: count }, work));
}
