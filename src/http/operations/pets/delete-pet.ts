import { defineWrite } from '../../operation.ts';
import { noContent } from '../responses.ts';
import { petPath, petRefusals } from './pet-refusals.ts';

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
  successes: [noContent('The animal was removed.')],
  errors: ['conflict'],
  changes: 'animal',
  command: 'deletePet',
  commandInput({ path: { petId: id }, workspaceId }, precondition) {
    return { workspaceId, id, precondition };
  },
  refuse: (refusal, { path: { petId } }, about) => petRefusals[refusal](petId, about),
});
