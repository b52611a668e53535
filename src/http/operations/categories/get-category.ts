import { type CategoryReads, categoryToJson } from '../../../domain/category.ts';
import { andThen } from '../../../domain/values/awaitable.ts';
import { defineRead } from '../../operation.ts';
import { categoryPath, noSuchCategory } from './category-refusals.ts';
import { categorySchema } from './category-schema.ts';

export const getCategory = defineRead({
  operationId: 'getCategory',
  tag: 'categories',
  method: 'GET',
  path: '/categories/{categoryId}',
  summary: 'Get a category',
  description: 'Returns one category.',
  scope: 'pets:read',
  isRecord: true,
  stability: 'beta',
  pathParameters: categoryPath,
  successes: [
    {
      httpStatus: 200,
      description: 'The requested category.',
      headers: [],
      content: { schema: categorySchema, example: { id: 7, name: 'Dogs' } },
    },
  ],
  errors: ['not_found'],
  handle: ({ path: { categoryId }, workspaceId }, { readCategory }: CategoryReads) =>
    andThen(readCategory(workspaceId, categoryId), (category) =>
      category === undefined ? noSuchCategory(categoryId) : { body: categoryToJson(category) },
    ),
});
