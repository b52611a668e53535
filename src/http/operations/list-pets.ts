import { z } from 'zod';
import { type Failure, fail, isFailure } from '../../domain/error.ts';
import {
  type Cursor,
  cursorLengthMax,
  cursorPattern,
  filterTag,
  formatCursor,
  idsMax,
  limitDefault,
  limitMax,
  limitMin,
  type PetFilter,
  parseCursor,
} from '../../domain/page.ts';
import { int64Schema, petStatusSchema, petsSchema, petToJson } from '../../domain/pet.ts';
import { defineOperation } from '../operation.ts';

const limitRule = `must be an integer from ${limitMin} to ${limitMax}`;

export const listPets = defineOperation({
  operationId: 'listPets',
  kind: 'read',
  tag: 'animals',
  method: 'GET',
  path: '/pets',
  summary: 'List animals',
  description:
    'A page of the animals in the workspace of the API key, the newest first. Where more follow, `Link` ' +
    'holds the address of the next page (`rel="next"`); without it the page is the last. Every animal ' +
    'that exists and matches during a whole walk over the pages appears in it exactly once.',
  scope: 'pets:read',
  pathParameters: z.object({}),
  queryParameters: z.object({
    limit: z
      .int({ error: () => limitRule })
      .min(limitMin, { error: () => limitRule })
      .max(limitMax, { error: () => limitRule })
      .default(limitDefault)
      .meta({ param: { description: 'The most animals to return.', example: limitDefault } }),
    status: petStatusSchema
      .optional()
      .meta({ param: { description: 'Only animals of this status.', example: 'available' } }),
    id: z
      .array(int64Schema, { error: () => 'must be integers' })
      .min(1)
      .max(idsMax, { error: () => `must appear at most ${idsMax} times` })
      .optional()
      .meta({
        param: {
          description: `Only these animals. Repeat it for several, up to ${idsMax} times.`,
          example: [1],
        },
      }),
    cursor: z
      .string()
      .optional()
      .meta({
        override: { minLength: 1, maxLength: cursorLengthMax, pattern: cursorPattern.source },
        param: {
          description:
            'Where the page starts. Opaque: take it, with the rest of the address, from `Link`.',
        },
      }),
  }),
  requestBody: undefined,
  success: {
    httpStatus: 200,
    description: 'A page of animals.',
    schema: petsSchema,
    example: [
      { id: 2, name: 'Rex', categoryId: 3, status: 'pending' },
      { id: 1, name: 'Fluffy', categoryId: 7, status: 'available' },
    ],
    headers: ['NextLink'],
  },
  // Deep pages and hand-picked animals are seldom asked for twice, and there is no end to them: a client that
  // walks would push out the first pages.
  keeps: ({ cursor, id }) => cursor === undefined && id === undefined,
  errors: ['invalid_cursor'],
  async handle({ query, workspaceId }, { database }) {
    const filter: PetFilter = { status: query.status, ids: distinctAscending(query.id) };
    const tag = filterTag(filter);
    const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, tag);
    if (isFailure(cursor)) return cursor;

    const { limit } = query;
    const page = await database.readPage(workspaceId, {
      ...filter,
      limit,
      belowId: cursor?.belowId,
    });
    const body = `[${page.pets.map(petToJson).join(',')}]`;
    const last = page.pets.at(-1);
    if (!page.more || last === undefined) return { body };
    return { body, next: nextPage(filter, limit, { belowId: last.id, filterTag: tag }) };
  },
});

function distinctAscending(ids: readonly bigint[] | undefined): readonly bigint[] | undefined {
  if (ids === undefined) return undefined;
  return [...new Set(ids)].sort((left, right) => (left < right ? -1 : 1));
}

function readCursor(text: string, tag: number): Cursor | Failure {
  const cursor = parseCursor(text);
  if (cursor === undefined) {
    return fail(
      'invalid_cursor',
      'cursor is not one of this service; follow the Link header of the page before',
    );
  }
  if (cursor.filterTag !== tag) {
    return fail(
      'invalid_cursor',
      'cursor was made for another filter; status and id must stay as they were',
    );
  }
  return cursor;
}

function nextPage(filter: PetFilter, limit: number, cursor: Cursor): string {
  const parameters = [`limit=${limit}`];
  if (filter.status !== undefined) parameters.push(`status=${filter.status}`);
  for (const id of filter.ids ?? []) parameters.push(`id=${id}`);
  parameters.push(`cursor=${formatCursor(cursor)}`);
  return `/pets?${parameters.join('&')}`;
}
