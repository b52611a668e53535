import { petToJson } from '../../../domain/pet.ts';
import { andThen } from '../../../domain/values/awaitable.ts';
import { defineWrite } from '../../operation.ts';
import { patchFaults } from '../../request/body-faults.ts';
import { ok } from '../responses.ts';
import { petPath, petRefusals } from './pet-refusals.ts';
import { petMembers, petPatchSchema, petSchema } from './pet-schema.ts';

export const updatePet = defineWrite({
  operationId: 'updatePet',
  tag: 'animals',
  method: 'PATCH',
  path: '/pets/{petId}',
  summary: 'Change an animal',
  description:
    'Changes what is sent and returns the animal as it is then. With `If-Match`, it is changed only if it is still as ' +
    'you saw it.',
  scope: 'pets:write',
  isRecord: true,
  stability: 'beta',
  pathParameters: petPath,
  requestBody: petPatchSchema,
  requestExamples: {
    sold: { summary: 'The animal was sold', value: { status: 'sold' } },
    renamed: { summary: 'Another name and category', value: { name: 'Rex', categoryId: 3 } },
  },
  successes: [
    ok('The animal, changed or as it was.', petSchema, {
      id: 1,
      name: 'Fluffy',
      categoryId: 7,
      status: 'sold',
    }),
  ],
  errors: ['conflict'],
  bodyFaults: (body, { petId }) => patchFaults(body, petId, petMembers),
  changes: 'animal',
  readUnchanged: ({ path: { petId }, workspaceId }, { readPet }) =>
    andThen(readPet(workspaceId, petId), (pet) => pet ?? petRefusals.no_such_pet(petId)),
  command: 'updatePet',
  commandInput({ body: { id: _, ...changes }, path: { petId: id }, workspaceId }, precondition) {
    return { workspaceId, id, changes, precondition };
  },
  answer: (pet) => ({ body: petToJson(pet) }),
  refuse: (refusal, { path: { petId } }, about) => petRefusals[refusal](petId, about),
});
