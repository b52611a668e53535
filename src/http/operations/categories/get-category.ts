import { type CategoryReads, categoryToJson } from '../../../domain/category.ts';
import { andThen } from '../../../domain/values/awaitable.ts';
import { defineRead } from '../../operation.ts';
import { ok } from '../responses.ts';
import { categoryPath, categoryRefusals } from './category-refusals.ts';
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
  successes: [ok('The requested category.', categorySchema, { id: 7, name: 'Dogs' })],
  handle: ({ path: { categoryId }, workspaceId }, { readCategory }: CategoryReads) =>
    andThen(readCategory(workspaceId, categoryId), (category) =>
      category === undefined
        ? categoryRefusals.no_such_category(categoryId)
        : { body: categoryToJson(category) },
    ),
});
