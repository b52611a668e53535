import { defineWrite } from '../../operation.ts';
import { categoryPath, refuseCategory } from './category-refusals.ts';

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
  requestBody: undefined,
  successes: [{ httpStatus: 204, description: 'The category was removed.', headers: [] }],
  errors: [],
  takesPrecondition: true,
  command: 'deleteCategory',
  commandInput: ({ path: { categoryId: id }, workspaceId }, precondition) => ({
    workspaceId,
    id,
    precondition,
  }),
  answer: () => ({}),
  refuse: refuseCategory,
});
