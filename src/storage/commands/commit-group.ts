import type { Refused } from '../../domain/database/command.ts';
import type { CommandInput, CommandName } from '../../domain/database/command-writer.ts';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import type { IdempotencyKey } from '../../domain/database/idempotency.ts';
import { CallEnded } from '../../domain/values/context.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { lockAuditTrail } from '../access/audit.ts';
import type { Transact, Transaction } from '../queryable.ts';
import { commands, isAudited } from '../registry.ts';
import type { CommandRunner } from './command-table.ts';
import { findStored, sharesScope, storeResults } from './idempotency.ts';

/** A command that waits to be run: plain data. */
export interface PendingCommand {
  readonly name: CommandName;
  readonly input: CommandInput<CommandName>;
  /** The command runs at most once under this key. */
  readonly key: IdempotencyKey | undefined;
}

/** The result of a command. `error` is a failure, not a refusal. */
export type GroupOutcome =
  | { readonly ok: unknown; readonly replayed?: boolean }
  | Refused<string>
  | { readonly error: unknown };

/**
 * Runs commands that arrived together in one transaction with one flush to disk. If a command fails, each half runs again
 * (docs/decisions/storage.md), so that groups without a failure need no savepoints.
 */
export async function commitGroup(
  transact: Transact,
  group: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  try {
    return await transact(async (transaction) => {
      // Before the rows of workspaces, which commands of other names and the lookup of keys lock.
      if (group.some(({ name }) => isAudited(name))) await lockAuditTrail(transaction);
      const outcomes = await runGroup(transaction, group);
      // A replayed result is also returned after a commit, because the commit that stored it may have failed.
      if (outcomes.some((outcome) => 'ok' in outcome)) transaction.mustCommit();
      return outcomes;
    });
  } catch (error) {
    if (isOfStorage(error) || group.length === 1) return group.map(() => ({ error }));
  }
  const middle = Math.floor(group.length / 2);
  const first = await commitGroup(transact, group.slice(0, middle));
  return [...first, ...(await commitGroup(transact, group.slice(middle)))];
}

function isOfStorage(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return !error.isDamaged;
  return error instanceof DatabaseOutcomeUnknown || error instanceof CallEnded;
}

async function runGroup(
  transaction: Transaction,
  group: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  const batches = toBatches(group);
  if (batches.length === 1) return runBatch(transaction, group);
  const outcomeOf = new Map<PendingCommand, GroupOutcome>();
  for (const batch of batches) {
    const outcomes = await runBatch(transaction, batch);
    for (const [index, pending] of batch.entries()) outcomeOf.set(pending, at(outcomes, index));
  }
  return group.map((pending) => outcomeOf.get(pending) ?? notRun);
}

const notRun: GroupOutcome = { error: new Error('The command was not run') };

function at(outcomes: readonly GroupOutcome[], index: number): GroupOutcome {
  return outcomes[index] ?? notRun;
}

/**
 * Commands of one name and workspace run together, in their order. Commands between them may run before or after: no client
 * knows yet in which order they arrived.
 */
function toBatches(group: readonly PendingCommand[]): readonly (readonly PendingCommand[])[] {
  const ofEachName = [...Map.groupBy(group, ({ name }) => name).values()];
  return ofEachName
    .flatMap((alike) => [...Map.groupBy(alike, workspaceOf).values()])
    .flatMap(splitByKeys);
}

/** The workspace of a command that changes its records; undefined for other commands. */
export function workspaceOf({ input }: PendingCommand): Int64 | undefined {
  return 'workspaceId' in input ? input.workspaceId : undefined;
}

/** Splits a batch where the scope of the keys changes, and before a key that is in it already, which must find its result. */
function splitByKeys(alike: readonly PendingCommand[]): readonly PendingCommand[][] {
  const batches: PendingCommand[][] = [];
  let batch: PendingCommand[] = [];
  let keys = new Set<string>();
  let scope: IdempotencyKey | undefined;
  for (const pending of alike) {
    const { key } = pending;
    const fits =
      key === undefined || (!keys.has(key.key) && (scope === undefined || sharesScope(scope, key)));
    if (batch.length === 0 || !fits) {
      batch = [];
      batches.push(batch);
      keys = new Set();
      scope = undefined;
    }
    batch.push(pending);
    if (key === undefined) continue;
    keys.add(key.key);
    scope = key;
  }
  return batches;
}

/** Runs commands of one name and workspace, except those whose keys have a stored result. */
async function runBatch(
  transaction: Transaction,
  batch: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  const keys = batch.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return runCommands(transaction, batch);
  const stored = await findStored(transaction, keys);
  const fresh = batch.filter(({ key }) => key === undefined || !stored.has(key.key));
  const outcomes = await runCommands(transaction, fresh);
  const done = fresh.flatMap(({ key }, index) => {
    const outcome = at(outcomes, index);
    // A refused command changed nothing, and may be retried.
    return key !== undefined && 'ok' in outcome ? [{ key, ok: outcome.ok }] : [];
  });
  storeResults(transaction, done);
  const outcomeOf = new Map(fresh.map((pending, index) => [pending, at(outcomes, index)]));
  return batch.map((pending) => {
    const { key } = pending;
    const before = key && stored.get(key.key);
    if (before !== undefined) {
      return before.requestDigest === key?.requestDigest
        ? { ok: before.ok, replayed: true }
        : { refused: 'idempotency_key_reused' };
    }
    const outcome = outcomeOf.get(pending) ?? notRun;
    return key !== undefined && 'ok' in outcome ? { ...outcome, replayed: false } : outcome;
  });
}

async function runCommands(
  transaction: Transaction,
  batch: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  const [first, ...others] = batch;
  if (first === undefined) return [];
  const runner: CommandRunner<CommandName> = commands[first.name];
  if ('runMany' in runner) {
    return runner.runMany(transaction, [first.input, ...others.map(({ input }) => input)]);
  }
  const outcomes: GroupOutcome[] = [];
  for (const { input } of batch) outcomes.push(await runner.run(transaction, input));
  return outcomes;
}
