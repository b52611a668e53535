import { z } from 'zod';
import { petSchema } from '../../operations/pets.ts';
import { int64Schema } from '../../operations/schemas.ts';

/** The rows of one request. */
export const rowsMax = 500;

/** Of a request with many rows. A row has up to ten values. */
export const rowLimits = { bytesMax: 2 ** 20, valuesMax: 12_000 };

/** Of the schema of a row. */
export const rowRule = { error: () => 'must be objects' };

/** The rows of a request. */
export function rowsSchema<Row extends z.ZodType>(row: Row) {
  const error = () => `must be a list of 1 to ${rowsMax} rows`;
  return z.array(row, { error }).min(1, { error }).max(rowsMax, { error }).readonly();
}

/**
 * What one row sends for its record. The document has its schema, and the row alone is refused if its value does not match it, so
 * that no row prevents the others.
 */
export function ofRow(schema: z.ZodType) {
  return z.union([schema, z.unknown()]).meta({
    override({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) {
      const [first] = jsonSchema.anyOf ?? [];
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, first);
    },
  });
}

export const ifMatchSchema = z
  .string()
  .meta({ description: 'As the header `If-Match` of a single call: the `ETag` of the animal.' });

const rowResultSchema = z
  .object({
    status: z.int().meta({ description: 'The HTTP status that a single call would have.' }),
    code: z.string().optional().meta({ description: 'The error code of a refused row.' }),
    message: z.string().optional(),
    id: int64Schema.optional().meta({ description: 'Of the animal or category.' }),
    etag: z.string().optional().meta({ description: 'Of the record as the row left it.' }),
    isRepeated: z.boolean().optional().meta({
      description: 'True if an earlier request has done the row, so that this one changed nothing.',
    }),
    pet: petSchema.optional().meta({
      description: 'The animal as it is now, if another caller has changed or reserved it.',
    }),
  })
  .meta({ id: 'RowResult', description: 'What became of a row.' });

export type RowResult = z.infer<typeof rowResultSchema>;

export const rowResultsSchema = z.object({ results: z.array(rowResultSchema).readonly() }).meta({
  id: 'RowResults',
  description:
    'The results of the rows that were run, in their order. With fewer results than rows, the rate limit admits no more now: send the other rows after `Retry-After`.',
});
