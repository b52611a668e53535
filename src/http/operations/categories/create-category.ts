import { categoryToJson } from '../../../domain/category.ts';
import { workspaceGone } from '../../access/authenticate.ts';
import { defineWrite } from '../../operation.ts';
import { categorySchema, newCategorySchema } from './category-schema.ts';

export const createCategory = defineWrite({
  operationId: 'createCategory',
  tag: 'categories',
  method: 'POST',
  path: '/categories',
  summary: 'Add a category',
  description:
    'Adds a category and returns it with its assigned `id`, which no other category has. To name a number that animals ' +
    'already have, use `PUT /categories/{categoryId}`.',
  scope: 'pets:write',
  isRecord: true,
  stability: 'beta',
  requestBody: newCategorySchema,
  requestExamples: {
    dogs: { summary: 'A category', value: { name: 'Dogs', description: 'Of every size' } },
  },
  successes: [
    {
      httpStatus: 201,
      description: 'The category was added.',
      headers: ['Location'],
      content: {
        schema: categorySchema,
        example: { id: 1, name: 'Dogs', description: 'Of every size' },
      },
    },
  ],
  errors: [],
  command: 'createCategory',
  commandInput: ({ body, workspaceId }) => ({ workspaceId, category: body }),
  answer: (category) => ({
    body: categoryToJson(category),
    location: `/categories/${category.id}`,
  }),
  refuse: () => workspaceGone,
});
