import { z } from 'zod';
import { nameLengthMax } from '../../domain/name.ts';
import { type NewPet, type Pet, petStatuses } from '../../domain/pet.ts';
import { limitMax } from './list-page.ts';
import { assignedIdSchema, int64Schema, nameSchema, textSchema } from './schemas.ts';

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
    status: petStatusSchema,
  })
  .meta({ id: 'Pet', description: 'An animal in the catalogue.' }) satisfies z.ZodType<Pet>;

export const petsSchema = z
  .array(petSchema)
  .max(limitMax)
  .meta({ id: 'Pets', description: 'A page of animals, newest first.' });

const namePartRule = `must have 1 to ${nameLengthMax} characters`;

/** A part of a name to search for. */
export const nameFilterSchema = textSchema(
  namePartRule,
  (text) => [...text].length <= nameLengthMax,
).meta({ override: { minLength: 1, maxLength: nameLengthMax } });

const petMembers = Object.keys(newPetSchema.shape);

/** Members that are absent stay as they are. */
export const petPatchSchema = z
  .object({
    id: int64Schema
      .meta({ description: 'May be sent, and must then be that of the path.', examples: [1] })
      .optional(),
    ...newPetSchema.partial().shape,
  })
  .meta({
    id: 'PetPatch',
    description:
      'Changes of an animal, as a JSON Merge Patch (RFC 7396). What is left out stays as it is; no member may be `null`. ' +
      `A change that is not \`{}\` has at least one of ${petMembers.map((name) => `\`${name}\``).join(', ')}.`,
  });
