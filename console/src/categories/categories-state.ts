import { batch, computed, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Category } from '../../../client/src/contract.ts';
import { comparableName } from '../../../src/domain/name.ts';
import { changedPet, listen } from '../api/announce.ts';
import { cached, fetchOnce, followQueries, type Query, retryFailed } from '../api/cache.ts';
import { markOld } from '../api/changes.ts';
import { parseInteger } from '../api/integer.ts';
import { messageOf } from '../api/service.ts';
import { callConsole, currentApi } from '../api/session.ts';
import { wholePlace } from '../lists/list-place.ts';

/** Further categories have no name in the console, only their number. */
const categoriesMax = 2000;

/** Numbers without a category. The operation `listUnnamedCategories` returns as many. */
const unnamedMax = 100;

/** Undefined until they are read. */
const byId = signal<ReadonlyMap<bigint, Category> | undefined>(undefined);
const message = signal<string | undefined>(undefined);

/** By name. */
export const categories = computed(() =>
  [...(byId.value?.values() ?? [])].sort((left, right) => left.name.localeCompare(right.name)),
);

/** Numbers that animals have, and that no category names. So a deleted category can be found, and named again. */
export const unnamedNumbers = signal<readonly bigint[]>([]);

/** The rows of the screen: the numbers without a name first. */
export const categoryList = {
  rows: {
    get items(): readonly Category[] {
      return [...unnamedNumbers.value.map((id) => ({ id, name: '' })), ...categories.value];
    },
    place: wholePlace,
    isCounted: true,
  },
  opened: signal({ at: 'start' as const }),
  state: computed(() =>
    byId.value !== undefined ? 'complete' : message.value === undefined ? 'loading' : 'failed',
  ),
  message: computed(() => message.value ?? ''),
  retry: retryFailed,
};

export function categoryName(id: bigint): string | undefined {
  return byId.value?.get(id)?.name;
}

/** For the members of an animal, which show categories by their names. */
export const categoryNames = { nameOf: categoryName } as const;

/** Whether all categories are known, so that any other name is new. */
const categoriesAreComplete = computed(
  () => byId.value !== undefined && byId.value.size < categoriesMax,
);

/** A category with this name in any case, except the category `beside`. */
export function findCategory(name: string, beside?: bigint): Category | undefined {
  return findNamed(byId.peek() ?? new Map(), name, beside);
}

function findNamed(
  known: ReadonlyMap<bigint, Category>,
  name: string,
  beside?: bigint,
): Category | undefined {
  const wanted = comparableName(name.trim());
  return [...known.values()].find(
    (one) => one.id !== beside && comparableName(one.name.trim()) === wanted,
  );
}

/** Finds categories by the names and numbers of a file. A file has many names, so that they are compared only once. */
export function useCategoryIndex() {
  return useMemo(() => {
    const ids = new Map(categories.value.map(({ name, id }) => [comparableName(name.trim()), id]));
    const others = categoriesAreComplete.value ? undefined : 'unknown';
    return {
      idOf: (name: string): bigint | 'unknown' | undefined =>
        ids.get(comparableName(name)) ?? others,
      nameOf: categoryName,
    };
  }, [categories.value, categoriesAreComplete.value]);
}

const categoriesQuery: Query<ReadonlyMap<bigint, Category>> = {
  key: ['categories'],
  async read(signal) {
    const list = currentApi().categories.list({ limit: 100 }, { signal });
    const found = await list.toArray({ max: categoriesMax });
    return new Map(found.map((category) => [category.id, category]));
  },
  tags: () => ['category'],
  patch(before, { type, data }) {
    if (type === 'category.deleted') return new Map([...before].filter(([id]) => id !== data.id));
    if (type !== 'category.created' && type !== 'category.updated') return before;
    return new Map(before).set(data.id, data);
  },
};

/** As `findCategory`, when the categories are known, so that none is created twice. */
export async function findReadCategory(name: string): Promise<Category | undefined> {
  return findNamed(await fetchOnce(categoriesQuery), name);
}

const unnamedQuery: Query<readonly bigint[]> = {
  key: ['unnamed-categories'],
  async read() {
    const { numbers } = await callConsole('listUnnamedCategories', {});
    return numbers.flatMap((number) => parseInteger(number) ?? []);
  },
  tags: () => ['category', newNumber],
};

/** The tag of a change after which an animal may have a number that no category names. */
const newNumber = 'new-number';

/** Keeps the categories up to date, and forgets them at the end of the session. */
export function followCategories(): () => void {
  const followed = followQueries(([categoriesRead]) => {
    batch(() => {
      const found = cached<ReadonlyMap<bigint, Category>>(categoriesQuery.key);
      byId.value = found;
      message.value = categoriesRead?.isError ? messageOf(categoriesRead.error) : undefined;
      const numbers = cached<readonly bigint[]>(unnamedQuery.key) ?? [];
      unnamedNumbers.value = numbers.filter((id) => found?.has(id) === false);
    });
  });
  followed.set([categoriesQuery, unnamedQuery]);
  const stopListening = listen((update) => {
    const pet = update === 'reset' ? undefined : changedPet(update.event);
    if (pet !== undefined && !isKnown(pet.categoryId)) markOld([newNumber]);
  });
  return () => {
    stopListening();
    followed.stop();
    byId.value = undefined;
    message.value = undefined;
    unnamedNumbers.value = [];
  };
}

/** Whether a number has a name, or is known to have none. */
function isKnown(id: bigint): boolean {
  const numbers = unnamedNumbers.peek();
  if (numbers.length >= unnamedMax || !categoriesAreComplete.peek()) return true;
  return byId.peek()?.has(id) === true || numbers.includes(id);
}
