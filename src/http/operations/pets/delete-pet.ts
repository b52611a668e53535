import { defineWrite } from '../../operation.ts';
import { petPath, refusePet } from './pet-refusals.ts';

export const deletePet = defineWrite({
  operationId: 'deletePet',
  tag: 'animals',
  method: 'DELETE',
  path: '/pets/{petId}',
  summary: 'Remove an animal',
  description: 'Removes an animal for good. Its `id` is never used again.',
  scope: 'pets:write',
  stability: 'beta',
  pathParameters: petPath,
  requestBody: undefined,
  successes: [{ httpStatus: 204, description: 'The animal was removed.', headers: [] }],
  errors: ['conflict'],
  takesPrecondition: true,
  command: 'deletePet',
  commandInput: ({ path: { petId: id }, workspaceId }, precondition) => ({
    workspaceId,
    id,
    precondition,
  }),
  answer: () => ({}),
  refuse: refusePet,
});
