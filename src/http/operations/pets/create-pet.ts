import { petToJson } from '../../../domain/pet.ts';
import { defineWrite } from '../../operation.ts';
import { created, noOtherRefusal } from '../responses.ts';
import { getPetRemovedAt } from './get-pet.ts';
import { newPetSchema, petSchema } from './pet-schema.ts';

export const createPet = defineWrite({
  operationId: 'createPet',
  tag: 'animals',
  method: 'POST',
  path: '/pets',
  summary: 'Add an animal',
  description:
    'Adds an animal and returns it with its assigned `id`. Without `status`, the animal is `available`. The response is sent ' +
    'after the animal is on disk.',
  scope: 'pets:write',
  isRecord: true,
  requestBody: newPetSchema,
  requestExamples: {
    available: { summary: 'An available animal', value: { name: 'Fluffy', categoryId: 7 } },
    pending: {
      summary: 'A reserved animal',
      value: { name: 'Rex', categoryId: 3, status: 'pending' },
    },
  },
  successes: [
    created('The animal was added.', petSchema, {
      id: 1,
      name: 'Fluffy',
      categoryId: 7,
      status: 'available',
    }),
  ],
  command: 'createPet',
  commandInput: ({ body, workspaceId }) => ({ workspaceId, pet: body }),
  answer(pet, { now }) {
    const body = petToJson(pet);
    // After its removal, GET on this path answers 410.
    return now >= getPetRemovedAt ? { body } : { body, location: `/pets/${pet.id}` };
  },
  refuse: noOtherRefusal,
});
