import { categoryToJson } from '../../../domain/category.ts';
import { defineWrite } from '../../operation.ts';
import { bodyIdFaults } from '../../request/body-faults.ts';
import { created, noOtherRefusal, ok } from '../responses.ts';
import { categoryPath } from './category-refusals.ts';
import { categoryReplacementSchema, categorySchema } from './category-schema.ts';

const example = { id: 7, name: 'Dogs', description: 'Of every size' };

export const putCategory = defineWrite({
  operationId: 'putCategory',
  tag: 'categories',
  method: 'PUT',
  path: '/categories/{categoryId}',
  summary: 'Name a category',
  description:
    'Adds a category with this `id`, any 64-bit integer, or replaces the one that has it. So numbers that animals already ' +
    'have get a name, and an import keeps its numbers.',
  scope: 'pets:write',
  isRecord: true,
  stability: 'beta',
  pathParameters: categoryPath,
  requestBody: categoryReplacementSchema,
  requestExamples: {
    dogs: { summary: 'A category', value: { name: 'Dogs', description: 'Of every size' } },
  },
  successes: [
    ok('The category was replaced, or was so before.', categorySchema, example),
    created('The category was added.', categorySchema, example),
  ],
  bodyFaults: (body, { categoryId }) => bodyIdFaults(body, categoryId),
  changes: 'category',
  command: 'putCategory',
  commandInput({ body, path: { categoryId: id }, workspaceId }, precondition) {
    const { id: _, ...category } = body;
    return { workspaceId, id, category, precondition };
  },
  answer({ category, isNew }) {
    const body = categoryToJson(category);
    return isNew ? { httpStatus: 201, location: `/categories/${category.id}`, body } : { body };
  },
  refuse: noOtherRefusal,
});
