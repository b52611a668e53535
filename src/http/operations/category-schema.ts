import { z } from 'zod';
import { type Category, descriptionLengthMax, type NewCategory } from '../../domain/category.ts';
import { limitMax } from './list-page.ts';
import { int64Schema, nameSchema, textSchema } from './schemas.ts';

/** Line ends and tabs are allowed. */
const descriptionPattern = '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$';
const descriptionExpression = new RegExp(descriptionPattern, 'u');

const descriptionRule =
  `must be a string of at most ${descriptionLengthMax} characters, ` +
  'without lone surrogates or control characters but tabs and line ends';

function isDescription(text: string): boolean {
  return (
    text.length <= 2 * descriptionLengthMax &&
    text.isWellFormed() &&
    descriptionExpression.test(text) &&
    [...text].length <= descriptionLengthMax
  );
}

export const newCategorySchema = z
  .object({
    name: nameSchema('the category', 'Dogs'),
    description: textSchema(descriptionRule, isDescription)
      .optional()
      .meta({
        description:
          `What the category is: at most ${descriptionLengthMax} code points, no control characters but tabs and line ends. ` +
          'Stored as sent.',
        override: { maxLength: descriptionLengthMax, pattern: descriptionPattern },
        examples: ['Of every size'],
      }),
  })
  .meta({
    id: 'NewCategory',
    description: 'A category to add. Names need not be unique.',
  }) satisfies z.ZodType<NewCategory>;

export const categorySchema = z
  .object({
    id: int64Schema.meta({
      description:
        'Assigned by the service, then at most 2^53 - 1, or chosen by a client: any 64-bit integer.',
      examples: [7],
    }),
    ...newCategorySchema.shape,
  })
  .meta({
    id: 'Category',
    description: 'The meaning of a `categoryId`.',
  }) satisfies z.ZodType<Category>;

/** The body of `PUT`, which replaces a category. */
export const categoryReplacementSchema = z
  .object({
    id: int64Schema
      .meta({ description: 'May be sent, and must then be that of the path.', examples: [7] })
      .optional(),
    ...newCategorySchema.shape,
  })
  .meta({
    id: 'CategoryReplacement',
    description: 'A category as it is to be. Without a `description` it has none.',
  }) satisfies z.ZodType<NewCategory>;

export const categoriesSchema = z
  .array(categorySchema)
  .max(limitMax)
  .meta({ id: 'Categories', description: 'A page of categories, the highest `id` first.' });
