import type { Operation } from './operation.ts';
import { createPet } from './operations/create-pet.ts';
import { deletePet } from './operations/delete-pet.ts';
import { getPet } from './operations/get-pet.ts';
import { listPets } from './operations/list-pets.ts';
import { updatePet } from './operations/update-pet.ts';

/** Every operation of the interface. To add one, write its file and add a line here. */
export const operations: readonly Operation[] = [listPets, createPet, getPet, updatePet, deletePet];
