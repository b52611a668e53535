import { z } from 'zod';
import { type PetReads, petToJson } from '../../../domain/pet.ts';
import { searchedMax } from '../../../domain/search.ts';
import { andThen } from '../../../domain/values/awaitable.ts';
import { isFailure } from '../../answer/answer.ts';
import { defineRead } from '../../operation.ts';
import {
  cursorParameter,
  distinctAscending,
  idsParameter,
  limitParameter,
  readPageRequest,
  toPageSuccess,
} from '../list-page.ts';
import { okPage } from '../responses.ts';
import { int64Schema } from '../schemas.ts';
import { nameFilterSchema, petStatusSchema, petsSchema } from './pet-schema.ts';

export const listPets = defineRead({
  operationId: 'listPets',
  tag: 'animals',
  method: 'GET',
  path: '/pets',
  summary: 'List animals',
  description:
    'A page of the animals in the workspace of the API key, newest first. If more follow, `Link` has the URL of ' +
    'the next page (`rel="next"`); the last page has no `Link`. A client that follows the links from the first ' +
    'page to the last gets each animal that exists and matches throughout exactly once.',
  scope: 'pets:read',
  queryParameters: z.object({
    limit: limitParameter('Maximum number of animals to return.'),
    status: petStatusSchema
      .optional()
      .meta({ param: { description: 'Only animals with this status.' } }),
    categoryId: int64Schema
      .optional()
      .meta({ param: { description: 'Only animals of this category.' } }),
    id: idsParameter('animals'),
    name: nameFilterSchema.optional().meta({
      param: {
        description:
          `Only animals whose name contains this text, in upper or lower case. A page searches at most ${searchedMax} animals, ` +
          'so it may have fewer than `limit`, even none, and still a `Link` to the next page.',
      },
    }),
    cursor: cursorParameter,
  }),
  successes: [
    okPage('A page of animals.', petsSchema, [
      { id: 2, name: 'Rex', categoryId: 3, status: 'pending' },
      { id: 1, name: 'Fluffy', categoryId: 7, status: 'available' },
    ]),
  ],
  // Later pages and lists of ids are seldom requested twice. A client that reads all pages would evict the first ones.
  isCacheable: ({ cursor, id, name }) =>
    cursor === undefined && id === undefined && name === undefined,
  errors: ['invalid_cursor'],
  handle({ query, workspaceId }, { readPetPage }: PetReads) {
    const { status, categoryId, name } = query;
    const ids = distinctAscending(query.id);
    const list = { path: '/pets', query, filter: { status, id: ids, categoryId, name } };
    const request = readPageRequest(list);
    if (isFailure(request)) return request;
    return andThen(
      readPetPage(workspaceId, { ...request, status, categoryId, ids, name }),
      (page) => toPageSuccess(list, page, petToJson),
    );
  },
});
