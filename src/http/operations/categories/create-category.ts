import { categoryToJson } from '../../../domain/category.ts';
import { defineWrite } from '../../operation.ts';
import { created, noOtherRefusal } from '../responses.ts';
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
    created('The category was added.', categorySchema, {
      id: 1,
      name: 'Dogs',
      description: 'Of every size',
    }),
  ],
  command: 'createCategory',
  commandInput: ({ body, workspaceId }) => ({ workspaceId, category: body }),
  answer: (category) => ({
    body: categoryToJson(category),
    location: `/categories/${category.id}`,
  }),
  refuse: noOtherRefusal,
});
