import { z } from 'zod';
import { fail } from '../../failure.ts';
import { petRefusals } from '../../operations/pets.ts';
import { assignedIdSchema, int64Schema, integerParameter } from '../../operations/schemas.ts';
import { idempotencyKeyMilliseconds } from '../../request/idempotency.ts';
import { preconditionFailed } from '../../request/precondition.ts';
import { defineConsole } from '../console-operation.ts';
import { rowLimits, rowResultsSchema, rowsSchema } from '../rows/row-schemas.ts';
import { commonRefusals, runRows, withPets } from '../rows/run-rows.ts';
import { oneImport, rowNumberSchema } from './imports.ts';

const rowsPerPage = 5000;
const categoriesMax = 2000;

const importSchema = z
  .object({
    rows: z
      .array(
        z
          .object({
            row: z.int(),
            id: assignedIdSchema,
            exists: z.boolean().meta({ description: 'False if the animal was deleted since.' }),
          })
          .meta({ id: 'ImportedRow', description: 'A row, and the animal that was added for it.' }),
      )
      .readonly()
      .meta({ description: `Up to ${rowsPerPage}, in the order of the file.` }),
    nextAfter: z
      .int()
      .nullable()
      .meta({ description: 'The parameter `after` of the next page; null on the last page.' }),
    categories: z
      .array(
        z
          .object({ id: int64Schema, etag: z.string() })
          .meta({ id: 'ImportedCategory', description: 'A category as the import added it.' }),
      )
      .readonly()
      .meta({ description: 'Those that still exist, on the first page.' }),
  })
  .meta({ id: 'Import', description: 'What an import has added.' });

export const getImport = defineConsole({
  ...oneImport,
  operationId: 'getImport',
  method: 'GET',
  path: '/imports/{source}',
  summary:
    'Returns what earlier imports of a sheet added to the workspace, in the last 30 days. Nothing if there was none.',
  scope: 'pets:read',
  queryParameters: z.object({
    after: integerParameter(-1, 100_000_000, -1, 'The row that the page starts after.'),
  }),
  success: { httpStatus: 200, schema: importSchema },
  async handle(context, { path: { source }, query: { after }, session }, { database }) {
    const { workspaceId } = session.caller;
    const page = { limit: rowsPerPage, afterRow: after };
    const { rows, nextAfterRow } = await database.readImportedRows(
      context,
      workspaceId,
      source,
      page,
    );
    const categories =
      after < 0
        ? await database.readImportedCategories(context, workspaceId, source, categoriesMax)
        : [];
    return {
      value: {
        rows,
        nextAfter: nextAfterRow ?? null,
        categories: categories.map(({ id, version }) => ({ id, etag: `"${version}"` })),
      },
    };
  },
});

export const undoImport = defineConsole({
  ...oneImport,
  operationId: 'undoImport',
  method: 'POST',
  path: '/imports/{source}/undo',
  summary:
    'Deletes the animals of up to 500 rows of an import, except those that were changed or reserved since.',
  scope: 'pets:write',
  bodyLimits: rowLimits,
  requestBody: z.object({ rows: rowsSchema(rowNumberSchema) }).meta({ id: 'UndoneRows' }),
  bodyFaults: ({ rows }) =>
    Array.isArray(rows) && new Set(rows).size < rows.length
      ? ['rows must not have the same row twice']
      : [],
  success: { httpStatus: 200, schema: rowResultsSchema },
  async handle(context, { path: { source }, body: { rows }, ...request }, services) {
    const { session } = request;
    const { workspaceId } = session.caller;
    const numbers = rows.map(Number);
    const added = await services.database.findImportedPets(context, workspaceId, source, numbers);
    const results = await runRows(context, numbers, request, services, {
      toCommand(row, origin) {
        const pet = added.get(row);
        if (pet === undefined)
          return fail('not_found', `The import has added no animal for row ${row}`);
        const { id, version } = pet;
        return {
          name: 'deletePet',
          input: { workspaceId, origin, id, precondition: { match: [version] } },
          // A repeated request has the same answer.
          key: {
            ...{ workspaceId, operationId: 'deletePet', key: `import-${source}-${id}` },
            requestDigest: version,
            now: origin.now,
            expiresAt: origin.now + idempotencyKeyMilliseconds,
          },
        };
      },
      toResult: (_, { replayed }) => ({ status: 204, ...(replayed ? { isRepeated: true } : {}) }),
      refuse(row, refusal, blockedBy) {
        if (refusal === 'idempotency_key_reused') return commonRefusals[refusal];
        return refusal === 'precondition_failed'
          ? preconditionFailed({ noun: 'animal' }, { match: [] })
          : petRefusals[refusal](added.get(row)?.id ?? 0n, blockedBy);
      },
    });
    const ids = numbers.map((row) => added.get(row)?.id);
    return { value: { results: await withPets(context, results, ids, session, services) } };
  },
});
