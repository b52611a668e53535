import { z } from 'zod';
import { type CategoryReads, categoryToJson } from '../../../domain/category.ts';
import { andThen } from '../../../domain/values/awaitable.ts';
import { isFailure } from '../../answer/answer.ts';
import { defineRead } from '../../operation.ts';
import { cursorParameter, limitParameter, readPageRequest, toPageSuccess } from '../list-page.ts';
import { okPage } from '../responses.ts';
import { categoriesSchema } from './category-schema.ts';

export const listCategories = defineRead({
  operationId: 'listCategories',
  tag: 'categories',
  method: 'GET',
  path: '/categories',
  summary: 'List categories',
  description:
    'A page of the categories in the workspace of the API key, the highest `id` first. If more follow, `Link` has the ' +
    'URL of the next page (`rel="next"`).',
  scope: 'pets:read',
  stability: 'beta',
  queryParameters: z.object({
    limit: limitParameter('Maximum number of categories to return.'),
    cursor: cursorParameter,
  }),
  successes: [
    okPage('A page of categories.', categoriesSchema, [
      { id: 7, name: 'Dogs', description: 'Of every size' },
      { id: 3, name: 'Cats' },
    ]),
  ],
  isCacheable: ({ cursor }) => cursor === undefined,
  errors: ['invalid_cursor'],
  handle({ query, workspaceId }, { readCategoryPage }: CategoryReads) {
    const list = { path: '/categories', kind: 'categories', query, filter: {} };
    const request = readPageRequest(list);
    if (isFailure(request)) return request;
    return andThen(readCategoryPage(workspaceId, request), (page) =>
      toPageSuccess(list, page, categoryToJson),
    );
  },
});
