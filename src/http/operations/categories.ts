import { z } from 'zod';
import {
  type Category,
  categoryToJson,
  descriptionLengthMax,
  type NewCategory,
} from '../../domain/category.ts';
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
import { answerPage, cursorParameter, limitMax, limitParameter } from './list-page.ts';
import {
  idParameter,
  int64Schema,
  invisibleNameFault,
  longTextSchema,
  nameSchema,
  sameIdSchema,
  storedNameSchema,
} from './schemas.ts';

export const newCategorySchema = z
  .object({
    name: nameSchema('the category', 'Dogs'),
    description: longTextSchema(
      descriptionLengthMax,
      'What the category is',
      'Of every size',
    ).optional(),
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
    name: storedNameSchema('the category', 'Dogs'),
  })
  .meta({
    id: 'Category',
    description: 'The meaning of a `categoryId`.',
  }) satisfies z.ZodType<Category>;

/** The body of `PUT`, which replaces a category. */
const categoryReplacementSchema = z
  .object({
    id: sameIdSchema(7),
    ...newCategorySchema.shape,
    name: storedNameSchema('the category', 'Dogs'),
  })
  .meta({
    id: 'CategoryReplacement',
    description: 'The replacement of a category. Without a `description`, the category has none.',
  }) satisfies z.ZodType<NewCategory>;

const categoriesSchema = z
  .array(categorySchema)
  .max(limitMax)
  .meta({ id: 'Categories', description: 'A page of categories, the highest `id` first.' });

const dogs = { name: 'Dogs', description: 'Of every size' };
const requestExamples = { dogs: { summary: 'A category', value: dogs } };

const tag = { name: 'categories', description: 'The meaning of the `categoryId` of animals.' };
const allCategories = { tag, path: '/categories', stability: 'beta' } as const;

/** What the operations on one category share. */
const oneCategory = {
  ...allCategories,
  path: '/categories/{categoryId}',
  pathParameters: z.object({
    categoryId: idParameter('category', 7),
  }),
  noun: 'category',
} as const;

/** The failure for each refusal of a command on one category. */
const categoryRefusals = {
  no_such_category: (id: bigint) => fail('not_found', `There is no category ${id}`),
  invisible_name: () => fail('invalid_body', invisibleNameFault),
};

const listCategories = defineRead({
  ...allCategories,
  operationId: 'listCategories',
  summary: 'List categories',
  description:
    'A page of the categories in the workspace of the API key, the highest `id` first. If more follow, `Link` has the ' +
    'URL of the next page (`rel="next"`).',
  scope: 'pets:read',
  queryParameters: z.object({
    limit: limitParameter('Maximum number of categories to return.'),
    cursor: cursorParameter,
  }),
  successes: [
    ok('A page of categories.', categoriesSchema, [
      { id: 7, ...dogs },
      { id: 3, name: 'Cats' },
    ]),
  ],
  isCacheable: ({ cursor }) => cursor === undefined,
  handle: (context, { query, workspaceId }, { readCategoryPage }) =>
    answerPage(
      { path: '/categories', name: 'categories', query, filter: {} },
      (page) => readCategoryPage(context, workspaceId, page),
      categoryToJson,
    ),
});

export const createCategory = defineWrite({
  ...allCategories,
  operationId: 'createCategory',
  method: 'POST',
  summary: 'Add a category',
  description:
    'Adds a category and returns it with its assigned `id`, which no other category has. To name a number that animals ' +
    'already have, use `PUT /categories/{categoryId}`.',
  scope: 'pets:write',
  requestBody: newCategorySchema,
  requestExamples,
  successes: [created('The category was added.', categorySchema, { id: 1, ...dogs })],
  commandInput: ({ body, workspaceId }) => ({ workspaceId, category: body }),
  answer: (category) => ({
    body: categoryToJson(category),
    location: `/categories/${category.id}`,
  }),
  refuse: noOtherRefusal,
});

const getCategory = defineRead({
  ...oneCategory,
  operationId: 'getCategory',
  summary: 'Get a category',
  description: 'Returns one category.',
  scope: 'pets:read',
  successes: [ok('The requested category.', categorySchema, { id: 7, name: 'Dogs' })],
  handle: (context, { path: { categoryId }, workspaceId }, { readCategory }) =>
    andThen(readCategory(context, workspaceId, categoryId), (category) =>
      category === undefined
        ? categoryRefusals.no_such_category(categoryId)
        : { body: categoryToJson(category) },
    ),
});

const putCategory = defineWrite({
  ...oneCategory,
  operationId: 'putCategory',
  method: 'PUT',
  summary: 'Name a category',
  description:
    'Adds a category with this `id`, any 64-bit integer, or replaces the one that has it. So numbers that animals already ' +
    'have get a name, and an import keeps its numbers.',
  scope: 'pets:write',
  requestBody: categoryReplacementSchema,
  requestExamples,
  successes: [
    ok('The category was replaced, or was so before.', categorySchema, { id: 7, ...dogs }),
    created('The category was added.', categorySchema, { id: 7, ...dogs }),
  ],
  commandInput({ body, path: { categoryId: id }, workspaceId }, precondition) {
    const { id: _, ...category } = body;
    return { workspaceId, id, category, precondition };
  },
  answer({ category, isNew }) {
    const body = categoryToJson(category);
    return isNew ? { httpStatus: 201, location: `/categories/${category.id}`, body } : { body };
  },
  refuse: (refusal) => categoryRefusals[refusal](),
});

const deleteCategory = defineWrite({
  ...oneCategory,
  operationId: 'deleteCategory',
  method: 'DELETE',
  summary: 'Remove a category',
  description: 'Removes a category. Animals keep its number as their `categoryId`.',
  scope: 'pets:write',
  successes: [noContent('The category was removed.')],
  commandInput({ path: { categoryId: id }, workspaceId }, precondition) {
    return { workspaceId, id, precondition };
  },
  refuse: (refusal, { path: { categoryId } }) => categoryRefusals[refusal](categoryId),
});

export const categoryOperations = [
  listCategories,
  createCategory,
  getCategory,
  putCategory,
  deleteCategory,
];
