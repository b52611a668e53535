import { z } from 'zod';
import { isFailure } from '../../failure.ts';
import { createCategory, newCategorySchema } from '../../operations/categories.ts';
import { createPet, newPetSchema } from '../../operations/pets.ts';
import { int64Schema, integerSchema } from '../../operations/schemas.ts';
import { readBody } from '../../request/read-input.ts';
import { defineConsole } from '../console-operation.ts';
import { ofRow, rowLimits, rowResultsSchema, rowRule, rowsSchema } from '../rows/row-schemas.ts';
import { commonRefusals, type RowRules, runRows } from '../rows/run-rows.ts';

/** Far more than a file of an import can have. */
const rowNumberMax = 100_000_000;

export const rowNumberSchema = integerSchema(0, rowNumberMax).meta({
  description: 'The place of the row in the sheet. It names the row in all later requests.',
});

/** What the operations on one import share. */
export const oneImport = {
  access: 'session',
  isLimited: true,
  pathParameters: z.object({ source: z.string().regex(/^[0-9a-f]{64}$/) }),
} as const;

const addingRows = {
  ...oneImport,
  method: 'POST',
  scope: 'pets:write',
  bodyLimits: rowLimits,
  success: { httpStatus: 200, schema: rowResultsSchema },
} as const;

/** The results of rows that add a record. A row is done once. */
const addedRules: Pick<RowRules<unknown, 'importPet' | 'importCategory'>, 'toResult' | 'refuse'> = {
  toResult(_, { ok: { id, version, isNew } }) {
    const done = { id, etag: `"${version}"` };
    return isNew ? { status: 201, ...done } : { status: 200, ...done, isRepeated: true };
  },
  refuse: (_, refusal) => commonRefusals[refusal],
};

export const importPets = defineConsole({
  ...addingRows,
  operationId: 'importPets',
  path: '/imports/{source}/pets',
  summary:
    'Adds the animals of up to 500 rows of an import. A row that is done is not added again.',
  requestBody: z
    .object({
      rows: rowsSchema(
        z
          .object(
            {
              row: rowNumberSchema,
              pet: ofRow(newPetSchema),
              replaces: int64Schema.optional().meta({
                description:
                  'The animal that was added for the row and was deleted: the row then adds another one.',
              }),
            },
            rowRule,
          )
          .meta({ id: 'ImportedPetRow', description: 'A row of a file, and its animal.' }),
      ),
    })
    .meta({ id: 'ImportedPetRows' }),
  async handle(context, { path: { source }, body: { rows }, ...request }, services) {
    const { workspaceId } = request.session.caller;
    const results = await runRows(context, rows, request, services, {
      ...addedRules,
      toCommand({ row, pet, replaces }, origin) {
        const checked = readBody(createPet, newPetSchema, pet, {}, services.hideApiKeys);
        if (isFailure(checked)) return checked;
        const address = { workspaceId, origin, source, now: origin.now };
        const input = { ...address, row: Number(row), pet: checked, replaces };
        return { name: 'importPet', input, key: undefined };
      },
    });
    return { value: { results } };
  },
});

export const importCategories = defineConsole({
  ...addingRows,
  operationId: 'importCategories',
  path: '/imports/{source}/categories',
  summary: 'Adds categories for an import. One that the import has added is not added again.',
  requestBody: z
    .object({
      rows: rowsSchema(
        z
          .object(
            {
              category: ofRow(newCategorySchema),
              id: int64Schema.optional().meta({
                description: 'The wanted number. If a category has it, the new one gets another.',
              }),
            },
            rowRule,
          )
          .meta({ id: 'ImportedCategoryRow', description: 'A category of a file.' }),
      ),
    })
    .meta({ id: 'ImportedCategoryRows' }),
  async handle(context, { path: { source }, body: { rows }, ...request }, services) {
    const { workspaceId } = request.session.caller;
    const results = await runRows(context, rows, request, services, {
      ...addedRules,
      toCommand({ category, id }, origin) {
        const checked = readBody(
          createCategory,
          newCategorySchema,
          category,
          {},
          services.hideApiKeys,
        );
        if (isFailure(checked)) return checked;
        const input = { workspaceId, origin, source, now: origin.now, category: checked, id };
        return { name: 'importCategory', input, key: undefined };
      },
    });
    return { value: { results } };
  },
});
