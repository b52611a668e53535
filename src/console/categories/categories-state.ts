import { computed, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Category } from '../../../client/src/contract.ts';
import { comparableName } from '../../domain/name.ts';
import { listen } from '../api/live.ts';
import { createReplay } from '../api/replay.ts';
import { messageOf } from '../api/service.ts';
import { currentApi } from '../api/session.ts';

/** Further categories have no name in the console, only their number. */
const categoriesMax = 2000;

const byId = signal<ReadonlyMap<bigint, Category>>(new Map());
const state = signal<'loading' | 'complete' | 'failed'>('loading');
const message = signal('');

/** By name. */
export const categories = computed(() =>
  [...byId.value.values()].sort((left, right) => left.name.localeCompare(right.name)),
);

export const categoryList = {
  rows: {
    get items() {
      return categories.value;
    },
    generation: signal(0),
  },
  state,
  message,
  loadMore: loadCategories,
};

export function categoryName(id: bigint): string | undefined {
  return byId.value.get(id)?.name;
}

/** For the members of an animal, which show categories by their names. */
export const categoryNames = { nameOf: categoryName } as const;

/** Whether all categories are known, so that any other name is new. */
export const categoriesAreComplete = signal(false);

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

export async function loadCategories(): Promise<void> {
  const sessionApi = currentApi();
  state.value = 'loading';
  const recording = replay.record();
  try {
    const found = await sessionApi.categories.list({ limit: 100 }).toArray({ max: categoriesMax });
    if (sessionApi !== currentApi()) return;
    byId.value = new Map(found.map((category) => [category.id, category]));
    recording.applyAgain();
    categoriesAreComplete.value = found.length < categoriesMax;
    state.value = 'complete';
  } catch (error) {
    if (sessionApi !== currentApi()) return;
    message.value = messageOf(error);
    state.value = 'failed';
  } finally {
    recording.stop();
  }
}

function putCategory(category: Category): void {
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
      if (type === 'category.deleted') dropCategory(data.id);
      else if (type === 'category.created' || type === 'category.updated') putCategory(data);
    });
  });
  return () => {
    stopListening();
    byId.value = new Map();
    state.value = 'loading';
    categoriesAreComplete.value = false;
  };
}
