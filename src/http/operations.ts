import type { Operation } from './operation.ts';
import { createCategory } from './operations/categories/create-category.ts';
import { deleteCategory } from './operations/categories/delete-category.ts';
import { getCategory } from './operations/categories/get-category.ts';
import { listCategories } from './operations/categories/list-categories.ts';
import { putCategory } from './operations/categories/put-category.ts';
import { listEvents } from './operations/events/list-events.ts';
import { streamEvents } from './operations/events/stream-events.ts';
import { createPet } from './operations/pets/create-pet.ts';
import { deletePet } from './operations/pets/delete-pet.ts';
import { getPet } from './operations/pets/get-pet.ts';
import { listPets } from './operations/pets/list-pets.ts';
import { updatePet } from './operations/pets/update-pet.ts';
import { cancelOrder } from './operations/store/cancel-order.ts';
import { countInventory } from './operations/store/count-inventory.ts';
import { createOrder } from './operations/store/create-order.ts';
import { getOrder } from './operations/store/get-order.ts';
import { listOrders } from './operations/store/list-orders.ts';
import { updateOrder } from './operations/store/update-order.ts';

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
