import { computed, signal } from '@preact/signals';
import type { Category } from '../../client/src/contract.ts';
import { listen } from './live.ts';
import { messageOf, store } from './store.ts';

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

export async function loadCategories(): Promise<void> {
  categoriesState.value = 'loading';
  try {
    const found = await store.categories.list({ limit: 100 }).toArray({ max: categoriesMax });
    byId.value = new Map(found.map((category) => [category.id, category]));
    categoriesState.value = 'ready';
  } catch (error) {
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

/** Keeps what is known up to date. */
export function followCategories(): () => void {
  return listen((heard) => {
    if (heard === 'reset') void loadCategories();
    else if (heard.event.type === 'category.deleted') dropCategory(heard.event.data.id);
    else if (heard.event.type === 'category.created' || heard.event.type === 'category.updated') {
      putCategory(heard.event.data);
    }
  });
}
