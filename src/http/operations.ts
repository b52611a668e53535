import type { Operation } from './operation.ts';
import {
  createCategory,
  deleteCategory,
  getCategory,
  listCategories,
  putCategory,
} from './operations/categories.ts';
import { listEvents, streamEvents } from './operations/events.ts';
import { countInventory } from './operations/inventory.ts';
import {
  cancelOrder,
  createOrder,
  getOrder,
  listOrders,
  updateOrder,
} from './operations/orders.ts';
import { createPet, deletePet, getPet, listPets, updatePet } from './operations/pets.ts';

/** Every operation of the interface. To add one, write it in the file of its records and add a line here. */
export const operations: readonly Operation[] = [
  listPets,
  createPet,
  getPet,
  updatePet,
  deletePet,
  listCategories,
  createCategory,
  getCategory,
  putCategory,
  deleteCategory,
  listOrders,
  createOrder,
  getOrder,
  updateOrder,
  cancelOrder,
  countInventory,
  listEvents,
  streamEvents,
];
