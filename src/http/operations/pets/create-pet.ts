import { petToJson } from '../../../domain/pet.ts';
import { workspaceGone } from '../../access/authenticate.ts';
import { defineWrite } from '../../operation.ts';
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
    {
      httpStatus: 201,
      description: 'The animal was added.',
      headers: ['Location'],
      content: {
        schema: petSchema,
        example: { id: 1, name: 'Fluffy', categoryId: 7, status: 'available' },
      },
    },
  ],
  errors: [],
  command: 'createPet',
  commandInput: ({ body, workspaceId }) => ({ workspaceId, pet: body }),
  answer(pet, { now }) {
    const body = petToJson(pet);
    // After its removal, GET on this path answers 410.
    return now >= getPetRemovedAt ? { body } : { body, location: `/pets/${pet.id}` };
  },
  refuse: () => workspaceGone,
});
