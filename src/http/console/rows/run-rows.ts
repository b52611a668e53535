import type { ChangeOrigin } from '../../../domain/record.ts';
import type { Context } from '../../../domain/values/context.ts';
import type {
  CommandName,
  CommandRefusal,
  ManyOutcome,
  PendingCommand,
} from '../../../storage/contract/command-writer.ts';
import { workspaceGone } from '../../access/authenticate.ts';
import { errorHttpStatus, type Failure, faultFailure, isFailure } from '../../failure.ts';
import { idempotencyRefusals } from '../../request/idempotency.ts';
import type { ConsoleServices } from '../console-operation.ts';
import type { ValidSession } from '../find-session.ts';
import type { RowResult } from './row-schemas.ts';

/** The request that sends rows. */
export interface RowsRequest {
  readonly session: ValidSession;
  readonly now: number;
  readonly requestId: string;
  /** Of the response. */
  readonly headers: Record<string, string>;
}

/** The failures for refusals that all rows have. */
export const commonRefusals = {
  no_such_workspace: workspaceGone,
  idempotency_key_reused: idempotencyRefusals.idempotency_key_reused,
} as const;

export interface RowRules<Row, Name extends CommandName> {
  /** The command of a row, or why it is refused before it reaches the database. */
  toCommand(row: Row, origin: ChangeOrigin): PendingCommand<Name> | Failure;
  /** The result of a row that was done. */
  toResult(row: Row, outcome: Extract<ManyOutcome<Name>, { readonly ok: unknown }>): RowResult;
  /** The failure for a refusal of the command. `blockedBy` is the id of the record that prevented it. */
  refuse(
    row: Row,
    refusal: CommandRefusal<Name> | 'idempotency_key_reused',
    blockedBy: bigint | undefined,
  ): Failure;
}

/**
 * Runs as many rows as the rate limit admits now, in few transactions. Each has the result of a single call, and a refused row does
 * not prevent the others.
 */
export async function runRows<Row, Name extends CommandName>(
  context: Context,
  rows: readonly Row[],
  { session: { caller }, requestId, headers, now }: RowsRequest,
  { database, admitRows, uses }: ConsoleServices,
  rules: RowRules<Row, Name>,
): Promise<readonly RowResult[]> {
  const admitted = rows.slice(0, admitRows({ caller, headers }, rows.length));
  uses.note(caller, now);
  const { actor, sessionId } = caller;
  const origin = { requestId, actor, sessionId, now };
  const made = admitted.map((row) => rules.toCommand(row, origin));
  const commands = made.flatMap((command) => (isFailure(command) ? [] : [command]));
  const outcomes = commands.length === 0 ? [] : await database.writeMany(context, commands);
  throwIfAllFailed(outcomes);
  const outcomeOf = new Map(commands.map((command, index) => [command, outcomes[index]]));
  return admitted.map((row, index) => {
    const command = made[index];
    if (isFailure(command)) return toRefused(command);
    const outcome = command && outcomeOf.get(command);
    if (outcome === undefined) throw new Error('A row has no outcome');
    if ('ok' in outcome) return rules.toResult(row, outcome);
    if ('refused' in outcome) {
      return toRefused(rules.refuse(row, outcome.refused, outcome.blockedBy));
    }
    context.report(outcome.error);
    return toRefused(faultFailure(outcome.error));
  });
}

/** If the database does not work, the request fails as a single call does. */
function throwIfAllFailed(outcomes: readonly object[]): void {
  const [first] = outcomes;
  if (first === undefined || !('error' in first)) return;
  if (outcomes.every((outcome) => 'error' in outcome)) throw first.error;
}

function toRefused({ code, message }: Failure): RowResult {
  return { status: errorHttpStatus[code], code, message };
}

/** Adds the id of each row, and the animal as it is now to those that other callers have changed or reserved. */
export async function withPets(
  context: Context,
  results: readonly RowResult[],
  ids: readonly (bigint | undefined)[],
  { caller }: ValidSession,
  { database }: Pick<ConsoleServices, 'database'>,
): Promise<readonly RowResult[]> {
  const named = results.map((result, index) => ({ id: ids[index], ...result }));
  if (!caller.scopes.includes('pets:read')) return named;
  const changed = named.flatMap(({ id, code }) =>
    id !== undefined && code !== undefined && keptCodes.has(code) ? [id] : [],
  );
  if (changed.length === 0) return named;
  const { items } = await database.readPetPage(context, caller.workspaceId, {
    limit: changed.length,
    ids: changed.toSorted((left, right) => (left < right ? -1 : 1)),
  });
  const pets = new Map(items.map((pet) => [pet.id, pet]));
  return named.map((result) =>
    result.id !== undefined && keptCodes.has(result.code ?? '')
      ? { ...result, pet: pets.get(result.id) }
      : result,
  );
}

const keptCodes: ReadonlySet<string> = new Set(['precondition_failed', 'conflict']);
