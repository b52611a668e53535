import { computed, signal } from '@preact/signals';
import type { Category } from '../../../client/src/contract.ts';
import { comparableText } from '../../domain/search.ts';
import { api, messageOf } from '../api/api.ts';
import { listen } from '../api/live.ts';

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

/** For the members of an animal, which show and read categories by their names. */
export const categoryNames = {
  nameOf: categoryName,
  idOf: (name: string) =>
    findCategory(name)?.id ?? (categoriesAreComplete.peek() ? undefined : 'unknown'),
} as const;

/** Whether all categories are known, so that any other name is new. */
export const categoriesAreComplete = signal(false);

/** Changes during a read, which may have missed them. They are applied again after it. */
let pendingChanges: (() => void)[] = [];

/** A category with this name in any case, except the category `beside`. */
export function findCategory(name: string, beside?: bigint): Category | undefined {
  const wanted = comparableText(name.trim());
  return categories
    .peek()
    .find((one) => one.id !== beside && comparableText(one.name.trim()) === wanted);
}

export async function loadCategories(): Promise<void> {
  const own = api;
  state.value = 'loading';
  pendingChanges = [];
  try {
    const found = await own.categories.list({ limit: 100 }).toArray({ max: categoriesMax });
    if (own !== api) return;
    byId.value = new Map(found.map((category) => [category.id, category]));
    for (const apply of pendingChanges) apply();
    categoriesAreComplete.value = found.length < categoriesMax;
    state.value = 'complete';
  } catch (error) {
    if (own !== api) return;
    message.value = messageOf(error);
    state.value = 'failed';
  }
}

export function putCategory(category: Category): void {
  byId.value = new Map(byId.peek()).set(category.id, category);
}

export function dropCategory(id: bigint): void {
  byId.value = new Map([...byId.peek()].filter(([one]) => one !== id));
}

/** Keeps the categories up to date, and forgets them at the end of the session. */
export function followCategories(): () => void {
  const leave = listen((heard) => {
    if (heard === 'reset') return void loadCategories();
    const { type, data } = heard.event;
    const apply = () => {
      if (type === 'category.deleted') dropCategory(data.id);
      else if (type === 'category.created' || type === 'category.updated') putCategory(data);
    };
    if (state.peek() === 'loading') pendingChanges.push(apply);
    apply();
  });
  return () => {
    leave();
    byId.value = new Map();
    state.value = 'loading';
    categoriesAreComplete.value = false;
  };
}
