import { computed, signal } from '@preact/signals';
import type { Category } from '../../../client/src/contract.ts';
import { comparableText } from '../../domain/search.ts';
import { api, messageOf } from '../api/api.ts';
import { listen } from '../api/live.ts';

/** Beyond this many, categories are known by their numbers alone. */
const categoriesMax = 2000;

const byId = signal<ReadonlyMap<bigint, Category>>(new Map());
export const categoriesState = signal<'loading' | 'ready' | 'failed'>('loading');
export const categoriesMessage = signal('');

/** By name. */
export const categories = computed(() =>
  [...byId.value.values()].sort((left, right) => left.name.localeCompare(right.name)),
);

export function categoryName(id: bigint): string | undefined {
  return byId.value.get(id)?.name;
}

/** Whether there is none beside those that are known, so that a name which is not among them is new. */
export const categoriesAreComplete = signal(false);

/** What happened while they were read: it is done again afterwards. */
let meanwhile: (() => void)[] = [];

/** A category with this name, whatever the case, beside one. */
export function findCategory(name: string, beside?: bigint): Category | undefined {
  const wanted = comparableText(name.trim());
  return categories
    .peek()
    .find((one) => one.id !== beside && comparableText(one.name.trim()) === wanted);
}

export async function loadCategories(): Promise<void> {
  const own = api;
  categoriesState.value = 'loading';
  meanwhile = [];
  try {
    const found = await own.categories.list({ limit: 100 }).toArray({ max: categoriesMax });
    if (own !== api) return;
    byId.value = new Map(found.map((category) => [category.id, category]));
    for (const happen of meanwhile) happen();
    categoriesAreComplete.value = found.length < categoriesMax;
    categoriesState.value = 'ready';
  } catch (error) {
    if (own !== api) return;
    categoriesMessage.value = messageOf(error);
    categoriesState.value = 'failed';
  }
}

export function putCategory(category: Category): void {
  byId.value = new Map(byId.peek()).set(category.id, category);
}

export function dropCategory(id: bigint): void {
  const left = new Map(byId.peek());
  left.delete(id);
  byId.value = left;
}

/** Keeps what is known up to date, and forgets it at the end: another session has others. */
export function followCategories(): () => void {
  const leave = listen((heard) => {
    if (heard === 'reset') return void loadCategories();
    const { type, data } = heard.event;
    const happen = () => {
      if (type === 'category.deleted') dropCategory(data.id);
      else if (type === 'category.created' || type === 'category.updated') putCategory(data);
    };
    if (categoriesState.peek() === 'loading') meanwhile.push(happen);
    happen();
  });
  return () => {
    leave();
    byId.value = new Map();
    categoriesState.value = 'loading';
    categoriesAreComplete.value = false;
  };
}
