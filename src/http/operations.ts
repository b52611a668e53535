import type { Operation } from './operation.ts';
import { createCategory } from './operations/create-category.ts';
import { createPet } from './operations/create-pet.ts';
import { deleteCategory } from './operations/delete-category.ts';
import { deletePet } from './operations/delete-pet.ts';
import { getCategory } from './operations/get-category.ts';
import { getPet } from './operations/get-pet.ts';
import { listCategories } from './operations/list-categories.ts';
import { listPets } from './operations/list-pets.ts';
import { putCategory } from './operations/put-category.ts';
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
];
