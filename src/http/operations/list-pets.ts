import { z } from 'zod';
import { idsMax } from '../../domain/page.ts';
import { type PetReads, petToJson } from '../../domain/pet.ts';
import { petStatusSchema, petsSchema } from '../../domain/pet-schema.ts';
import { int64Schema } from '../../domain/schemas.ts';
import { answerPage, cursorParameter, limitParameter } from '../list-page.ts';
import { defineRead } from '../operation.ts';

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
  pathParameters: z.object({}),
  queryParameters: z.object({
    limit: limitParameter('Maximum number of animals to return.'),
    status: petStatusSchema
      .optional()
      .meta({ param: { description: 'Only animals with this status.', example: 'available' } }),
    categoryId: int64Schema
      .optional()
      .meta({ param: { description: 'Only animals of this category.', example: 7 } }),
    id: z
      .array(int64Schema, { error: () => 'must be integers' })
      .min(1)
      .max(idsMax, { error: () => `must appear at most ${idsMax} times` })
      .optional()
      .meta({
        param: {
          description: `Only animals with this id. Repeat the parameter for several, up to ${idsMax} times.`,
          example: [1],
        },
      }),
    cursor: cursorParameter,
  }),
  successes: [
    {
      httpStatus: 200,
      description: 'A page of animals.',
      headers: ['NextLink'],
      content: {
        schema: petsSchema,
        example: [
          { id: 2, name: 'Rex', categoryId: 3, status: 'pending' },
          { id: 1, name: 'Fluffy', categoryId: 7, status: 'available' },
        ],
      },
    },
  ],
  // Deep pages and hand-picked animals are seldom asked for twice, and there is no end to them: a client that
  // walks would push out the first pages.
  isCacheable: ({ cursor, id }) => cursor === undefined && id === undefined,
  errors: ['invalid_cursor'],
  handle({ query, workspaceId }, { readPetPage }: PetReads) {
    const { status, categoryId } = query;
    const ids = distinctAscending(query.id);
    return answerPage({
      path: '/pets',
      query,
      filter: { status, id: ids, categoryId },
      read: (request) => readPetPage(workspaceId, { status, categoryId, ids, ...request }),
      toJson: petToJson,
    });
  },
});

function distinctAscending(ids: readonly bigint[] | undefined): readonly bigint[] | undefined {
  if (ids === undefined) return undefined;
  return [...new Set(ids)].sort((left, right) => (left < right ? -1 : 1));
}
