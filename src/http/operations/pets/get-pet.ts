import { type PetReads, petToJson } from '../../../domain/pet.ts';
import { andThen } from '../../../domain/values/awaitable.ts';
import { defineRead } from '../../operation.ts';
import { ok } from '../responses.ts';
import { petPath, petRefusals } from './pet-refusals.ts';
import { petSchema } from './pet-schema.ts';

/** The release of interface 1.0.0, which published the operation as deprecated. */
const getPetDeprecatedAt = Date.UTC(2026, 10, 20);

/** The contract's date: removed on 5 December 2030. */
export const getPetRemovedAt = Date.UTC(2030, 11, 5);

export const getPet = defineRead({
  operationId: 'getPet',
  tag: 'animals',
  method: 'GET',
  path: '/pets/{petId}',
  summary: 'Get an animal',
  description:
    'Returns one animal. This operation will be removed on 5 December 2030 and then responds with 410; use ' +
    '`GET /pets` with the `status` or `id` filter instead.',
  scope: 'pets:read',
  isRecord: true,
  deprecation: {
    deprecatedAt: getPetDeprecatedAt,
    removedAt: getPetRemovedAt,
    successorPath: '/pets',
    successor: 'GET /pets with the status or id filter',
  },
  pathParameters: petPath,
  successes: [
    ok('The requested animal.', petSchema, {
      id: 1,
      name: 'Fluffy',
      categoryId: 7,
      status: 'available',
    }),
  ],
  handle({ path: { petId }, workspaceId }, { readPet }: PetReads) {
    return andThen(readPet(workspaceId, petId), (pet) =>
      pet === undefined ? petRefusals.no_such_pet(petId) : { body: petToJson(pet) },
    );
  },
});
