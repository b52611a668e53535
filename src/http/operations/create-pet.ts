import { z } from 'zod';
import { isFailure } from '../../domain/error.ts';
import { newPetSchema, petSchema, petToJson } from '../../domain/pet.ts';
import { invalidApiKey } from '../authenticate.ts';
import { defineOperation } from '../operation.ts';
import { getPetRemovedAt } from './get-pet.ts';

export const createPet = defineOperation({
  operationId: 'createPet',
  kind: 'write',
  tag: 'animals',
  method: 'POST',
  path: '/pets',
  summary: 'Add an animal',
  description:
    'Adds an animal and returns it with its assigned `id`. The answer comes after the animal is on disk.',
  scope: 'pets:write',
  pathParameters: z.object({}),
  queryParameters: z.object({}),
  requestBody: newPetSchema,
  requestExamples: {
    available: { summary: 'An animal to be had', value: { name: 'Fluffy', categoryId: 7 } },
    pending: {
      summary: 'An animal that is promised to somebody',
      value: { name: 'Rex', categoryId: 3, status: 'pending' },
    },
  },
  success: {
    httpStatus: 201,
    description: 'The animal was added.',
    schema: petSchema,
    example: { id: 1, name: 'Fluffy', categoryId: 7, status: 'available' },
    headers: ['Location'],
  },
  errors: [],
  async handle({ body, workspaceId, baseUrl, now }, { write }) {
    const pet = await write('createPet', { workspaceId, pet: body });
    if (isFailure(pet)) return pet;
    // The workspace was deleted while the request was on its way, and its keys with it.
    if (pet === undefined) return invalidApiKey;
    // A location that answers 410 helps nobody.
    if (now >= getPetRemovedAt) return { body: petToJson(pet) };
    const path = baseUrl.replace(/^https?:\/\/[^/]+/, '');
    return { body: petToJson(pet), headers: { location: `${path}/pets/${pet.id}` } };
  },
});
