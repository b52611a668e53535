import { z } from 'zod';
import type { CommandRefusal } from '../../../domain/database/commands.ts';
import type { Int64 } from '../../../domain/values/int64.ts';
import { type Failure, fail } from '../../answer/answer.ts';
import { preconditionFailed } from '../../request/precondition.ts';
import { int64Schema } from '../schemas.ts';

/** Path parameters of what is about one animal. */
export const petPath = z.object({
  petId: int64Schema.meta({ param: { description: 'The `id` of the animal.', example: 1 } }),
});

interface PetInput {
  readonly path: z.infer<typeof petPath>;
}

/** What is answered where an animal is not changed. */
export function refusePet(
  refusal: CommandRefusal<'updatePet' | 'deletePet'>,
  { path: { petId } }: PetInput,
  about: Int64 | undefined,
): Failure {
  if (refusal === 'no_such_pet') return noSuchPet(petId);
  return refusal === 'open_order'
    ? fail('conflict', `Order ${about} for animal ${petId} is open; ship or cancel it first`)
    : preconditionFailed('animal');
}

export function noSuchPet(petId: bigint): Failure {
  return fail('not_found', `There is no animal ${petId}`);
}
