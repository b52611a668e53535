import { defineWrite } from '../../operation.ts';
import { noContent } from '../responses.ts';
import { categoryPath, categoryRefusals } from './category-refusals.ts';

export const deleteCategory = defineWrite({
  operationId: 'deleteCategory',
  tag: 'categories',
  method: 'DELETE',
  path: '/categories/{categoryId}',
  summary: 'Remove a category',
  description: 'Removes a category. Animals keep its number as their `categoryId`.',
  scope: 'pets:write',
  stability: 'beta',
  pathParameters: categoryPath,
  successes: [noContent('The category was removed.')],
  changes: 'category',
  command: 'deleteCategory',
  commandInput({ path: { categoryId: id }, workspaceId }, precondition) {
    return { workspaceId, id, precondition };
  },
  refuse: (refusal, { path: { categoryId } }) => categoryRefusals[refusal](categoryId),
});
