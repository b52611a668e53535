import type { Order } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import type { AnimalStore, Id } from '../../../client/src/store.ts';
import { announceOwnChange, type Change } from './announce.ts';

/**
 * The client, which announces each record that a write returns, also that of an empty change. The lists of the page show it before
 * the stream has its event, or without a stream.
 */
export function announceWrites(api: AnimalStore): AnimalStore {
  const { pets, categories, orders } = api;
  return {
    ...api,
    pets: {
      ...pets,
      create: (...input) =>
        noting(pets.create(...input), (data) => ({ type: 'pet.created', data })),
      update: (id, ...input) =>
        notingChange('pet', id, pets.update(id, ...input), (data) => ({
          type: 'pet.updated',
          data,
        })),
      delete: (id, ...input) => notingDeletion('pet', id, pets.delete(id, ...input)),
    },
    categories: {
      ...categories,
      create: (...input) =>
        noting(categories.create(...input), (data) => ({ type: 'category.created', data })),
      get: (id, ...input) =>
        notingChange('category', id, categories.get(id, ...input), (data) => ({
          type: 'category.updated',
          data,
        })),
      put: (id, ...input) =>
        noting(categories.put(id, ...input), (data) => ({ type: 'category.updated', data })),
      delete: (id, ...input) => notingDeletion('category', id, categories.delete(id, ...input)),
    },
    orders: {
      ...orders,
      create: (...input) =>
        noting(orders.create(...input), (data) => ({ type: 'order.created', data })),
      get: (...input) => noting(orders.get(...input), updatedOrder),
      update: (...input) => noting(orders.update(...input), updatedOrder),
    },
  };
}

const updatedOrder = (data: Order): Change => ({ type: 'order.updated', data });

async function noting<Value>(call: Promise<Value>, changeOf: (value: Value) => Change) {
  const value = await call;
  announceOwnChange(changeOf(value));
  return value;
}

/** A record that is not found was deleted by others. */
async function notingChange<Value>(
  kind: 'pet' | 'category',
  id: Id,
  call: Promise<Value>,
  changeOf: (value: Value) => Change,
): Promise<Value> {
  try {
    return await noting(call, changeOf);
  } catch (error) {
    if (isAnimalStoreError(error, 'not_found')) announceOwnChange(deletionOf(kind, id));
    throw error;
  }
}

async function notingDeletion(
  kind: 'pet' | 'category',
  id: Id,
  call: Promise<void>,
): Promise<void> {
  await notingChange(kind, id, call, () => deletionOf(kind, id));
}

const deletionOf = (kind: 'pet' | 'category', id: Id): Change => ({
  type: `${kind}.deleted`,
  data: { id: BigInt(id) },
});
