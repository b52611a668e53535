import { z } from 'zod';
import { nameLengthMax } from '../../domain/name.ts';
import { type NewPet, type Pet, petStatuses, petToJson } from '../../domain/pet.ts';
import { searchedMax } from '../../domain/search.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import {
  created,
  defineRead,
  defineWrite,
  noContent,
  noOtherRefusal,
  ok,
} from '../define-operation.ts';
import { fail } from '../failure.ts';
import {
  answerPage,
  betaParameter,
  cursorParameter,
  idsParameter,
  limitMax,
  limitParameter,
  optionalParameter,
  sortParameter,
} from './list-page.ts';
import {
  assignedIdSchema,
  idParameter,
  int64Schema,
  invisibleNameFault,
  nameSchema,
  sameIdSchema,
  searchTextSchema,
  storedNameSchema,
} from './schemas.ts';

export const petStatusSchema = z
  .enum(petStatuses, { error: () => `must be one of ${petStatuses.join(', ')}` })
  .meta({ id: 'PetStatus', description: 'Availability of the animal.' });

export const newPetSchema = z
  .object({
    name: nameSchema('the animal', 'Fluffy'),
    categoryId: int64Schema.meta({
      description:
        'The category the animal belongs to: any 64-bit integer, stored exactly. ' +
        'The category need not exist.',
      examples: [7],
    }),
    status: petStatusSchema.optional(),
  })
  .meta({
    id: 'NewPet',
    description: 'An animal to add. The default `status` is `available`.',
  }) satisfies z.ZodType<NewPet>;

export const petSchema = z
  .object({
    id: assignedIdSchema,
    ...newPetSchema.shape,
    name: storedNameSchema('the animal', 'Fluffy'),
    status: petStatusSchema,
  })
  .meta({ id: 'Pet', description: 'An animal in the catalogue.' }) satisfies z.ZodType<Pet>;

const petsSchema = z
  .array(petSchema)
  .max(limitMax)
  .meta({ id: 'Pets', description: 'A page of animals.' });

const petMembers = Object.keys(newPetSchema.shape);

/** Members that are absent stay as they are. */
export const petPatchSchema = z
  .object({
    id: sameIdSchema(),
    ...newPetSchema.partial().shape,
    name: storedNameSchema('the animal', 'Fluffy').optional(),
  })
  .meta({
    id: 'PetPatch',
    description:
      'Changes of an animal, as a JSON Merge Patch (RFC 7396). What is left out stays as it is; no member may be `null`. ' +
      `A change that is not \`{}\` has at least one of ${petMembers.map((name) => `\`${name}\``).join(', ')}.`,
  });

const fluffy = { id: 1, name: 'Fluffy', categoryId: 7, status: 'available' };

const tag = { name: 'animals', description: 'The animals offered in the store.' };

/** What the operations on one animal share. */
const onePet = {
  tag,
  path: '/pets/{petId}',
  pathParameters: z.object({
    petId: idParameter('animal'),
  }),
  noun: 'animal',
} as const;

/** The failure for each refusal of a command on one animal. */
export const petRefusals = {
  no_such_pet: (id: bigint) => fail('not_found', `There is no animal ${id}`),
  open_order: (id: bigint, orderId: bigint | undefined) =>
    fail('conflict', `Order ${orderId} for animal ${id} is open; ship or cancel it first`),
  invisible_name: () => fail('invalid_body', invisibleNameFault),
};

export const listPets = defineRead({
  operationId: 'listPets',
  tag,
  path: '/pets',
  summary: 'List animals',
  description:
    'A page of the animals in the workspace of the API key, newest first unless `sort` is `id`. If more follow, `Link` has ' +
    'the URL of the next page (`rel="next"`); the last page has no `Link`. A client that follows the links from the first ' +
    'page to the last gets each animal that exists and matches throughout exactly once.',
  scope: 'pets:read',
  queryParameters: z.object({
    // The interface gives it no format, and adding one breaks the compatibility of a stable operation.
    limit: limitParameter('Maximum number of animals to return.').meta({ override: {} }),
    status: optionalParameter(petStatusSchema, 'Only animals with this status.'),
    categoryId: optionalParameter(int64Schema, 'Only animals of this category.'),
    id: idsParameter('animals'),
    name: optionalParameter(
      searchTextSchema(nameLengthMax),
      'Only animals whose name contains this text, without regard to case and accents: `musli` finds Müsli. White space at ' +
        `its ends is ignored. A page searches at most ${searchedMax} animals, so it may have fewer than \`limit\`, even none, ` +
        'and still a `Link` to the next page.',
    ),
    sort: sortParameter(
      'Order of the animals: the newest first (`-id`, the default), or the oldest first (`id`).',
    ),
    from: betaParameter(
      int64Schema,
      'The page starts at the animal with this `id`, or at the next one in the order of `sort`. Not with `cursor`.',
    ),
    cursor: cursorParameter,
  }),
  successes: [
    ok('A page of animals.', petsSchema, [
      { id: 2, name: 'Rex', categoryId: 3, status: 'pending' },
      fluffy,
    ]),
  ],
  // Later pages and lists of ids are seldom requested twice. A client that reads all pages would evict the first ones.
  isCacheable: ({ cursor, from, id, name }) =>
    cursor === undefined && from === undefined && id === undefined && name === undefined,
  searchedBy: 'name',
  handle(context, { query, workspaceId }, { readPetPage }) {
    const { status, id: ids, categoryId, name, sort } = query;
    return answerPage(
      { path: '/pets', query, filter: { status, id: ids, categoryId, name, sort } },
      (page) => readPetPage(context, workspaceId, { ...page, status, categoryId, ids, name, sort }),
      petToJson,
    );
  },
});

export const createPet = defineWrite({
  operationId: 'createPet',
  tag,
  method: 'POST',
  path: '/pets',
  summary: 'Add an animal',
  description:
    'Adds an animal and returns it with its assigned `id`. Without `status`, the animal is `available`. The response is sent ' +
    'after the animal is on disk.',
  scope: 'pets:write',
  requestBody: newPetSchema,
  requestExamples: {
    available: { summary: 'An available animal', value: { name: 'Fluffy', categoryId: 7 } },
    pending: {
      summary: 'A reserved animal',
      value: { name: 'Rex', categoryId: 3, status: 'pending' },
    },
  },
  successes: [created('The animal was added.', petSchema, fluffy)],
  commandInput: ({ body, workspaceId }) => ({ workspaceId, pet: body }),
  answer(pet, { now }) {
    const body = petToJson(pet);
    // After its removal, GET on this path answers 410.
    return now >= getPetRemovedAt ? { body } : { body, location: `/pets/${pet.id}` };
  },
  refuse: noOtherRefusal,
});

/** The release of interface 1.0.0, which published the operation as deprecated. */
const getPetDeprecatedAt = Date.UTC(2026, 10, 20);

/** The contract's date: removed on 5 December 2030. */
export const getPetRemovedAt = Date.UTC(2030, 11, 5);

export const getPet = defineRead({
  ...onePet,
  operationId: 'getPet',
  summary: 'Get an animal',
  description:
    'Returns one animal. This operation will be removed on 5 December 2030 and then responds with 410; use ' +
    '`GET /pets` with the `status` or `id` filter instead.',
  scope: 'pets:read',
  deprecation: {
    deprecatedAt: getPetDeprecatedAt,
    removedAt: getPetRemovedAt,
    successorPath: '/pets',
    successor: 'GET /pets with the status or id filter',
  },
  successes: [ok('The requested animal.', petSchema, fluffy)],
  handle: (context, { path: { petId }, workspaceId }, { readPet }) =>
    andThen(readPet(context, workspaceId, petId), (pet) =>
      pet === undefined ? petRefusals.no_such_pet(petId) : { body: petToJson(pet) },
    ),
});

export const updatePet = defineWrite({
  ...onePet,
  operationId: 'updatePet',
  method: 'PATCH',
  summary: 'Change an animal',
  description:
    'Changes what is sent and returns the animal as it is then. With `If-Match`, it is changed only if it is still as ' +
    'you saw it.',
  scope: 'pets:write',
  stability: 'beta',
  requestBody: petPatchSchema,
  requestExamples: {
    sold: { summary: 'The animal was sold', value: { status: 'sold' } },
    renamed: { summary: 'Another name and category', value: { name: 'Rex', categoryId: 3 } },
  },
  successes: [ok('The animal, changed or as it was.', petSchema, { ...fluffy, status: 'sold' })],
  errors: ['conflict'],
  readUnchanged: getPet.handle,
  commandInput({ body: { id: _, ...changes }, path: { petId: id }, workspaceId }, precondition) {
    return { workspaceId, id, changes, precondition };
  },
  answer: (pet) => ({ body: petToJson(pet) }),
  refuse: (refusal, { path: { petId } }, blockedBy) => petRefusals[refusal](petId, blockedBy),
});

const deletePet = defineWrite({
  ...onePet,
  operationId: 'deletePet',
  method: 'DELETE',
  summary: 'Remove an animal',
  description: 'Removes an animal for good. Its `id` is never used again.',
  scope: 'pets:write',
  stability: 'beta',
  successes: [noContent('The animal was removed.')],
  errors: ['conflict'],
  commandInput({ path: { petId: id }, workspaceId }, precondition) {
    return { workspaceId, id, precondition };
  },
  refuse: (refusal, { path: { petId } }, blockedBy) => petRefusals[refusal](petId, blockedBy),
});

export const petOperations = [listPets, createPet, getPet, updatePet, deletePet];
