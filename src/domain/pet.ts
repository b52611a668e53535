import { z } from 'zod';
import type { Awaitable } from './awaitable.ts';
import type { Command } from './command.ts';
import { exactInteger } from './exact-json.ts';
import { assignedIdMax, type Int64, int64Max, int64Min } from './int64.ts';
import { limitMax, type Page, type PageRequest } from './page.ts';
import { type PetStatus, petStatuses } from './pet-status.ts';
import type { Precondition } from './precondition.ts';

export const petStatusSchema = z
  .enum(petStatuses, { error: () => `must be one of ${petStatuses.join(', ')}` })
  .meta({ id: 'PetStatus', description: 'Availability of the animal.' });

export const nameLengthMax = 255;

/**
 * The rule about names as one expression of the dialect that JSON Schema and most languages share:
 * no control character, and at least one character that is not white space.
 */
const namePattern =
  '^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';
const nameExpression = new RegExp(namePattern, 'u');

const nameRule =
  `must be a string of 1 to ${nameLengthMax} characters, ` +
  'not all white space, without control characters or lone surrogates';

function isName(text: string): boolean {
  // A string has at most twice as many UTF-16 units as code points: long ones need no counting.
  if (text.length > 2 * nameLengthMax || !text.isWellFormed() || !nameExpression.test(text)) {
    return false;
  }
  return text.length <= nameLengthMax || [...text].length <= nameLengthMax;
}

/** A whole number of 64 bits; the document says `integer` and `int64`, the program holds a bigint. */
export const int64Schema = z.int64({
  error: () => `must be an integer from ${int64Min} to ${int64Max}`,
});

export const newPetSchema = z
  .object({
    name: z
      .string({ error: () => nameRule })
      .refine(isName, { error: () => nameRule })
      .meta({
        description:
          'The name of the animal: 1 to 255 code points, not all white space, no control characters. ' +
          'Stored as sent.',
        override: { minLength: 1, maxLength: nameLengthMax, pattern: namePattern },
        examples: ['Fluffy'],
      }),
    categoryId: int64Schema.meta({
      description:
        'The category the animal belongs to: any 64-bit integer, stored exactly. ' +
        'The category need not exist.',
      examples: [7],
    }),
    status: petStatusSchema.optional(),
  })
  .meta({ id: 'NewPet', description: 'An animal to add. The default `status` is `available`.' });

export type NewPet = z.infer<typeof newPetSchema>;

export const petSchema = z
  .object({
    id: int64Schema.meta({
      description: 'Assigned by the service; increasing, never reused, at most 2^53 - 1.',
      override: { minimum: 1, maximum: Number(assignedIdMax) },
      examples: [1],
    }),
    ...newPetSchema.shape,
    status: petStatusSchema,
  })
  .meta({ id: 'Pet', description: 'An animal in the catalogue.' });

export type Pet = z.infer<typeof petSchema>;

export const petsSchema = z
  .array(petSchema)
  .max(limitMax)
  .meta({ id: 'Pets', description: 'A page of animals, newest first.' });

/** What `JSON.stringify` makes the JSON of an animal of, members in the documented order. */
export function petToJson({ id, name, categoryId, status }: Pet): object {
  return { id: exactInteger(id), name, categoryId: exactInteger(categoryId), status };
}

/** What an animal becomes; what is left out stays as it is. */
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
      'Changes of an animal, as a JSON Merge Patch (RFC 7396). What is left out stays as it is; no member may be `null`.',
  });

export type PetChanges = Omit<z.infer<typeof petPatchSchema>, 'id'>;

/** Which animals a list is about. Absent members do not restrict it. */
export interface PetFilter {
  readonly status?: PetStatus | undefined;
  /** Distinct and ascending, so that equal filters are equal text. */
  readonly ids?: readonly Int64[] | undefined;
}

export interface PetReads {
  /** The animals of one workspace that match, as they stood at one moment. */
  readPetPage(workspaceId: Int64, request: PageRequest & PetFilter): Awaitable<Page<Pet>>;
  readPet(workspaceId: Int64, id: Int64): Awaitable<Pet | undefined>;
}

interface PetAddress {
  readonly workspaceId: Int64;
  readonly id: Int64;
}

type PetRefusal = 'no_such_pet' | 'precondition_failed';

export interface PetCommands {
  createPet: Command<
    { readonly workspaceId: Int64; readonly pet: NewPet },
    Pet,
    'no_such_workspace'
  >;
  /** Gives the animal as it is then. What changes nothing leaves everything as it was. */
  updatePet: Command<
    PetAddress & { readonly changes: PetChanges; readonly precondition: Precondition },
    Pet,
    PetRefusal
  >;
  deletePet: Command<PetAddress & { readonly precondition: Precondition }, null, PetRefusal>;
  /** Many at once, in order; gives how many. */
  createPets: Command<
    { readonly workspaceId: Int64; readonly pets: readonly NewPet[] },
    number,
    'no_such_workspace'
  >;
}
