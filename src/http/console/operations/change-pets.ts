import { z } from 'zod';
import { petToJson } from '../../../domain/pet.ts';
import type { Precondition } from '../../../domain/precondition.ts';
import type { ChangeOrigin } from '../../../domain/record.ts';
import { formatExactJson } from '../../../domain/values/exact-json.ts';
import type { Int64 } from '../../../domain/values/int64.ts';
import type { PendingCommand } from '../../../storage/contract/command-writer.ts';
import { recordTag } from '../../answer/answer.ts';
import { type Failure, isFailure } from '../../failure.ts';
import type { Members } from '../../operation.ts';
import {
  createPet,
  newPetSchema,
  petPatchSchema,
  petRefusals,
  updatePet,
} from '../../operations/pets.ts';
import { int64Schema } from '../../operations/schemas.ts';
import { idempotencyKeyMilliseconds } from '../../request/idempotency.ts';
import { parseVersions, preconditionFailed } from '../../request/precondition.ts';
import { readBody } from '../../request/read-input.ts';
import { type ConsoleServices, defineConsole } from '../console-operation.ts';
import {
  ifMatchSchema,
  ofRow,
  rowLimits,
  rowResultsSchema,
  rowRule,
  rowsSchema,
} from '../rows/row-schemas.ts';
import { commonRefusals, runRows, withPets } from '../rows/run-rows.ts';

const keyRule = 'must be 1 to 255 visible ASCII characters';
const actionRule = 'must be create without id, or update or delete with id';

const petRowSchema = z
  .object(
    {
      key: z
        .string({ error: () => keyRule })
        .regex(/^[!-~]{1,255}$/, { error: () => keyRule })
        .meta({
          description:
            'As the header `Idempotency-Key` of a single call. The row runs once with it.',
        }),
      action: z.enum(['create', 'update', 'delete'], { error: () => actionRule }),
      id: int64Schema.optional().meta({ description: 'Of the animal. Not for `create`.' }),
      ifMatch: ifMatchSchema.optional(),
      pet: ofRow(petPatchSchema).optional(),
    },
    rowRule,
  )
  .refine(({ action, id }) => (action === 'create') === (id === undefined), {
    error: () => actionRule,
  })
  .meta({ id: 'PetRow', description: 'Adds, changes or deletes an animal.' });

type PetRow = z.infer<typeof petRowSchema>;

export const changePets = defineConsole({
  operationId: 'changePets',
  method: 'POST',
  path: '/pet-changes',
  summary: 'Adds, changes and deletes up to 500 animals, each as a single call does.',
  access: 'session',
  scope: 'pets:write',
  isLimited: true,
  bodyLimits: rowLimits,
  requestBody: z.object({ rows: rowsSchema(petRowSchema) }).meta({ id: 'PetRows' }),
  bodyFaults: ({ rows }) => findEqualRows(rows),
  success: { httpStatus: 200, schema: rowResultsSchema },
  async handle(context, { body: { rows }, ...request }, services) {
    const { session } = request;
    const ran = await runRows(context, rows, request, services, {
      toCommand: (row, origin) => toCommand(row, origin, session.caller.workspaceId, services),
      toResult({ action }, { ok, replayed }) {
        const isRepeated = replayed ? { isRepeated: true } : {};
        if (ok === null) return { status: 204, ...isRepeated };
        const etag = recordTag(JSON.stringify(petToJson(ok)));
        return { status: action === 'create' ? 201 : 200, id: ok.id, etag, ...isRepeated };
      },
      refuse({ id = 0n, ifMatch }, refusal, blockedBy) {
        if (refusal === 'no_such_workspace' || refusal === 'idempotency_key_reused') {
          return commonRefusals[refusal];
        }
        const precondition = toPrecondition(ifMatch);
        return refusal === 'precondition_failed'
          ? preconditionFailed(updatePet, isFailure(precondition) ? {} : precondition)
          : petRefusals[refusal](id, blockedBy);
      },
    });
    const ids = rows.map(({ id }) => id);
    return { value: { results: await withPets(context, ran, ids, session, services) } };
  },
});

/** Rows of one request have no order, so that no two may be about one animal. */
function findEqualRows(rows: unknown): readonly string[] {
  if (!Array.isArray(rows)) return [];
  const members = rows.filter((row): row is Members => typeof row === 'object' && row !== null);
  const equal = (['id', 'key'] as const).filter((name) => {
    const values = members.flatMap((row) => (row[name] === undefined ? [] : [row[name]]));
    return new Set(values).size < values.length;
  });
  return equal.map((name) => `rows must not have the same ${name} twice`);
}

function toPrecondition(ifMatch: string | undefined): Precondition | Failure {
  const match = ifMatch === undefined ? undefined : parseVersions(ifMatch, 'If-Match');
  return isFailure(match) ? match : { match };
}

function toCommand(
  { key, action, id, ifMatch, pet = {} }: PetRow,
  origin: ChangeOrigin,
  workspaceId: Int64,
  { hideApiKeys }: Pick<ConsoleServices, 'hideApiKeys'>,
): PendingCommand<'createPet' | 'updatePet' | 'deletePet'> | Failure {
  const { now } = origin;
  const name = `${action}Pet` as const;
  const keyOf = (content: unknown) => ({
    ...{ workspaceId, operationId: name, key, now },
    requestDigest: Bun.SHA256.hash(formatExactJson([name, id, content]), 'hex'),
    expiresAt: now + idempotencyKeyMilliseconds,
  });
  const precondition = toPrecondition(ifMatch);
  if (isFailure(precondition)) return precondition;
  if (id === undefined) {
    const created = readBody(createPet, newPetSchema, pet, {}, hideApiKeys);
    if (isFailure(created)) return created;
    return { name, input: { workspaceId, origin, pet: created }, key: keyOf(created) };
  }
  const address = { workspaceId, origin, id, precondition };
  if (name === 'deletePet') return { name, input: address, key: keyOf(null) };
  const patch = readBody(updatePet, petPatchSchema, pet, { petId: id }, hideApiKeys);
  if (isFailure(patch)) return patch;
  const { id: _, ...changes } = patch;
  return { name, input: { ...address, changes }, key: keyOf(changes) };
}
