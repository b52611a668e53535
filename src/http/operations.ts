import type { Operation } from './operation.ts';
import { cancelOrder } from './operations/cancel-order.ts';
import { countInventory } from './operations/count-inventory.ts';
import { createCategory } from './operations/create-category.ts';
import { createOrder } from './operations/create-order.ts';
import { createPet } from './operations/create-pet.ts';
import { deleteCategory } from './operations/delete-category.ts';
import { deletePet } from './operations/delete-pet.ts';
import { getCategory } from './operations/get-category.ts';
import { getOrder } from './operations/get-order.ts';
import { getPet } from './operations/get-pet.ts';
import { listCategories } from './operations/list-categories.ts';
import { listEvents } from './operations/list-events.ts';
import { listOrders } from './operations/list-orders.ts';
import { listPets } from './operations/list-pets.ts';
import { putCategory } from './operations/put-category.ts';
import { streamEvents } from './operations/stream-events.ts';
import { updateOrder } from './operations/update-order.ts';
import { updatePet } from './operations/update-pet.ts';

/** Every operation of the interface. To add one, write its file and add a line here. */
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
