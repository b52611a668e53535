import { computed, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Category } from '../../../client/src/contract.ts';
import { comparableName } from '../../../src/domain/name.ts';
import { parseInteger } from '../api/integer.ts';
import { listen } from '../api/live.ts';
import { createReplay } from '../api/replay.ts';
import { messageOf } from '../api/service.ts';
import { callConsole, currentApi } from '../api/session.ts';
import { wholePlace } from '../api/window-place.ts';

/** Further categories have no name in the console, only their number. */
const categoriesMax = 2000;

/** Numbers without a category. The operation `listUnnamedCategories` returns as many. */
const unnamedMax = 100;

const byId = signal<ReadonlyMap<bigint, Category>>(new Map());
const state = signal<'loading' | 'complete' | 'failed'>('loading');
const message = signal('');

/** By name. */
export const categories = computed(() =>
  [...byId.value.values()].sort((left, right) => left.name.localeCompare(right.name)),
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
  state,
  message,
  retry: () => void loadCategories(),
};

export function categoryName(id: bigint): string | undefined {
  return byId.value.get(id)?.name;
}

/** For the members of an animal, which show categories by their names. */
export const categoryNames = { nameOf: categoryName } as const;

/** Whether all categories are known, so that any other name is new. */
const categoriesAreComplete = signal(false);

const replay = createReplay();

/** A category with this name in any case, except the category `beside`. */
export function findCategory(name: string, beside?: bigint): Category | undefined {
  const wanted = comparableName(name.trim());
  return categories
    .peek()
    .find((one) => one.id !== beside && comparableName(one.name.trim()) === wanted);
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

/** Counts the reads. Only the last one is shown, also if the session was read again during it. */
let readCount = 0;

export async function loadCategories(): Promise<void> {
  readCount += 1;
  const read = readCount;
  state.value = 'loading';
  const recording = replay.record();
  try {
    const found = await currentApi()
      .categories.list({ limit: 100 })
      .toArray({ max: categoriesMax });
    if (read !== readCount) return;
    byId.value = new Map(found.map((category) => [category.id, category]));
    recording.applyAgain();
    categoriesAreComplete.value = found.length < categoriesMax;
    state.value = 'complete';
    await loadUnnamedNumbers();
  } catch (error) {
    if (read !== readCount) return;
    message.value = messageOf(error);
    state.value = 'failed';
  } finally {
    recording.stop();
  }
}

async function loadUnnamedNumbers(): Promise<void> {
  const read = readCount;
  // Without them, the numbers stay as they are: each name is known all the same.
  const found = await callConsole('listUnnamedCategories', {}).catch(() => undefined);
  if (found === undefined || read !== readCount) return;
  const ids = found.numbers.flatMap((number) => parseInteger(number) ?? []);
  unnamedNumbers.value = ids.filter((id) => !byId.peek().has(id));
}

/** An animal has a number without a name. */
function addUnnamedNumber(id: bigint): void {
  const numbers = unnamedNumbers.peek();
  const isKnown = byId.peek().has(id) || numbers.includes(id);
  if (isKnown || !categoriesAreComplete.peek() || numbers.length >= unnamedMax) return;
  unnamedNumbers.value = [...numbers, id];
}

function putCategory(category: Category): void {
  unnamedNumbers.value = unnamedNumbers.peek().filter((id) => id !== category.id);
  byId.value = new Map(byId.peek()).set(category.id, category);
}

function dropCategory(id: bigint): void {
  byId.value = new Map([...byId.peek()].filter(([one]) => one !== id));
}

/** Keeps the categories up to date, and forgets them at the end of the session. */
export function followCategories(): () => void {
  const stopListening = listen((update) => {
    if (update === 'reset') return void loadCategories();
    const { type, data } = update.event;
    replay.apply(() => {
      if (type === 'category.deleted') {
        dropCategory(data.id);
        void loadUnnamedNumbers();
      } else if (type === 'category.created' || type === 'category.updated') putCategory(data);
      else if (type === 'pet.created' || type === 'pet.updated') addUnnamedNumber(data.categoryId);
    });
  });
  return () => {
    stopListening();
    readCount += 1;
    byId.value = new Map();
    unnamedNumbers.value = [];
    state.value = 'loading';
    categoriesAreComplete.value = false;
  };
}
