import { z } from 'zod';
import { insufficientScope } from '../../access/authenticate.ts';
import { optionalParameter, sortParameter } from '../../operations/list-page.ts';
import { petStatusSchema } from '../../operations/pets.ts';
import { int64Schema } from '../../operations/schemas.ts';
import { defineConsole } from '../console-operation.ts';

const positionError = () => 'must be a whole number from 0';

export const findPetAtPosition = defineConsole({
  operationId: 'findPetAtPosition',
  method: 'GET',
  path: '/pet-positions',
  summary:
    'Finds the animal at a position of a list, for a jump in it. The list has all animals, or those of a status.',
  access: 'session',
  isLimited: true,
  queryParameters: z.object({
    position: z.int({ error: positionError }).min(0, { error: positionError }),
    status: optionalParameter(petStatusSchema, 'Only animals with this status.'),
    sort: sortParameter('Order of the list, as that of listPets.'),
  }),
  success: {
    httpStatus: 200,
    schema: z
      .object({
        id: int64Schema.nullable().meta({
          description:
            'Null if the list is empty, or if the server does not know the places of a list of many millions yet.',
        }),
        position: z.int().meta({
          description: 'The position in the request, or that of the last animal if it is lower.',
        }),
        count: z.int().meta({ description: 'The number of animals in the list.' }),
      })
      .meta({
        id: 'PetPosition',
        description:
          'An animal and its position, from 0. During changes of a long list, the animal can be some places off.',
      }),
  },
  async handle(context, { query, session: { caller } }, { petPositions }) {
    if (!caller.scopes.includes('pets:read')) {
      return insufficientScope('This needs a key with the scope pets:read', 'pets:read');
    }
    const { position, status, sort = '-id' } = query;
    const pets = { workspaceId: caller.workspaceId, status };
    return { value: await petPositions.find(context, pets, { position, sort }) };
  },
});
