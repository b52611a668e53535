import { z } from 'zod';
import { findNameFault, hasSeenCharacter, nameLengthMax } from '../../domain/name.ts';
import { assignedIdMax, int64Max, int64Min } from '../../domain/values/int64.ts';
import { findLongTextFault, longTextPattern } from '../../domain/values/long-text.ts';

/** A 64-bit integer: `int64` in the document, a bigint in the program. */
export const int64Schema = z.int64({
  error: () => `must be an integer from ${int64Min} to ${int64Max}`,
});

/** An integer of a body, which the reader of JSON returns as a bigint. */
export function integerSchema(min: number, max: number) {
  const error = () => `must be a whole number from ${min} to ${max}`;
  return z.int64({ error }).refine((value) => value >= min && value <= max, { error });
}

/** A query parameter that is an integer. The document has the default as the example. */
export function integerParameter(min: number, max: number, byDefault: number, description: string) {
  const error = () => `must be an integer from ${min} to ${max}`;
  return z
    .int({ error })
    .min(min, { error })
    .max(max, { error })
    .default(byDefault)
    .meta({ param: { description, example: byDefault }, override: { format: 'int32' } });
}

/** The parameter of a path for the `id` of a record. */
export function idParameter(noun: string, example = 1) {
  return int64Schema.meta({ param: { description: `The \`id\` of the ${noun}.`, example } });
}

/** The `id` in a body, of the record that the path names. */
export function sameIdSchema(example = 1) {
  const description = 'If present, it must equal the id in the path.';
  return int64Schema.meta({ description, examples: [example] }).optional();
}

export const assignedIdSchema = int64Schema.meta({
  description: 'Assigned by the service; increasing, never reused, at most 2^53 - 1.',
  override: { minimum: 1, maximum: Number(assignedIdMax) },
  examples: [1],
});

/** A text that follows a rule, which is the message for any other value. */
export function textSchema(rule: string, isValid: (text: string) => boolean) {
  const error = () => rule;
  return z.string({ error }).refine(isValid, { error });
}

/** A text of any value, in a response. `override` is added to its schema in the document. */
export function describedText(
  description: string,
  example: string,
  override: z.core.JSONSchema.BaseSchema = {},
) {
  return z.string().meta({ description, override, examples: [example] });
}

/** A text to search for. Its length counts as sent, because gateways check the published schema. */
export function searchTextSchema(lengthMax: number) {
  const rule = `must have 1 to ${lengthMax} characters, at least one of which can be seen`;
  const isValid = (text: string) => hasSeenCharacter(text) && [...text].length <= lengthMax;
  const override = { minLength: 1, maxLength: lengthMax, pattern: '\\S' };
  return textSchema(rule, isValid).meta({ override });
}

/**
 * No control character, and at least one character that is not white space. The syntax is that which JSON Schema and most
 * languages share.
 */
const namePattern =
  '^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$';

const nameRule =
  `must be a string of 1 to ${nameLengthMax} characters, ` +
  'at least one of which can be seen, without control characters or lone surrogates';

/** The message for a name that the schema of a change cannot refuse, because the stored name can be the same. */
export const invisibleNameFault = `name ${nameRule}`;

/** The name of a record. `of` is its noun, for the document. */
export function nameSchema(of: string, example: string) {
  return nameSchemaWith(of, example, (text) => findNameFault(text) === undefined);
}

/**
 * The same for a stored record and a change of it, which can have a name that an earlier version took. The command refuses
 * a new one.
 */
export function storedNameSchema(of: string, example: string) {
  return nameSchemaWith(of, example, (text) =>
    [undefined, 'invisible'].includes(findNameFault(text)),
  );
}

function nameSchemaWith(of: string, example: string, isValid: (text: string) => boolean) {
  return textSchema(nameRule, isValid).meta({
    description: `The name of ${of}: 1 to ${nameLengthMax} code points, at least one that can be seen, no control characters. Stored as sent.`,
    override: { minLength: 1, maxLength: nameLengthMax, pattern: namePattern },
    examples: [example],
  });
}

/** A text of several lines. `meaning` is for the document. */
export function longTextSchema(lengthMax: number, meaning: string, example: string) {
  const rule =
    `must be a string of at most ${lengthMax} characters, ` +
    'without lone surrogates or control characters except tabs and line ends';
  const isValid = (text: string) => findLongTextFault(text, lengthMax) === undefined;
  return textSchema(rule, isValid).meta({
    description: `${meaning}: at most ${lengthMax} code points, no control characters except tabs and line ends. Stored as sent.`,
    override: { maxLength: lengthMax, pattern: longTextPattern },
    examples: [example],
  });
}

/** A value or `null`. It is one schema with two types in the document, because generated clients handle a union badly. */
export function nullable<Schema extends z.ZodType>(schema: Schema) {
  const { override, ...meta } = schema.meta() ?? {};
  return z.nullable(schema).meta({
    ...meta,
    override({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) {
      const [first] = jsonSchema.anyOf ?? [];
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, first, { type: [first?.type, 'null'] }, override);
    },
  });
}
