import type { Refused } from '../../domain/database/command.ts';
import type { CommandInput, CommandName } from '../../domain/database/commands.ts';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import type { IdempotencyKey } from '../../domain/database/idempotency.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { Transact, Transaction } from '../queryable.ts';
import { commands } from '../registry.ts';
import type { CommandRunner } from './command-table.ts';
import { findStored, sharesScope, storeResults } from './idempotency.ts';

/** A command that waits to be run: plain data. */
export interface PendingCommand<Name extends CommandName = CommandName> {
  readonly name: Name;
  readonly input: CommandInput<Name>;
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
  return error instanceof DatabaseOutcomeUnknown;
}

function runGroup(
  transaction: Transaction,
  group: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  const batches = toBatches(group);
  return batches.length === 1
    ? runBatch(transaction, group)
    : runBatches(transaction, group, batches);
}

async function runBatches(
  transaction: Transaction,
  group: readonly PendingCommand[],
  batches: readonly (readonly PendingCommand[])[],
): Promise<readonly GroupOutcome[]> {
  const outcomeOf = new Map<PendingCommand, GroupOutcome>();
  for (const batch of batches) {
    for (const [index, outcome] of (await runBatch(transaction, batch)).entries()) {
      const pending = batch[index];
      if (pending !== undefined) outcomeOf.set(pending, outcome);
    }
  }
  return group.map((pending) => outcomeOf.get(pending) ?? notRun());
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

function workspaceOf({ input }: PendingCommand): Int64 | undefined {
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
function runBatch(
  transaction: Transaction,
  batch: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  const keys = batch.flatMap(({ key }) => key ?? []);
  return keys.length === 0
    ? runCommands(transaction, batch)
    : runKeyedCommands(transaction, batch, keys);
}

async function runKeyedCommands(
  transaction: Transaction,
  batch: readonly PendingCommand[],
  keys: readonly IdempotencyKey[],
): Promise<readonly GroupOutcome[]> {
  const stored = await findStored(transaction, keys);
  const fresh = batch.filter(({ key }) => key === undefined || !stored.has(key.key));
  const outcomes = await runCommands(transaction, fresh);
  const outcomeOf = new Map(fresh.map((pending, index) => [pending, outcomes[index]]));
  storeResults(
    transaction,
    fresh.flatMap(({ key }, index) => {
      const outcome = outcomes[index];
      // A refused command changed nothing, and may be retried.
      return key === undefined || outcome === undefined || !('ok' in outcome)
        ? []
        : [{ key, ok: outcome.ok }];
    }),
  );
  return batch.map((pending) => {
    const before = pending.key && stored.get(pending.key.key);
    if (before === undefined) {
      const outcome = outcomeOf.get(pending) ?? notRun();
      return pending.key !== undefined && 'ok' in outcome
        ? { ...outcome, replayed: false }
        : outcome;
    }
    return before.requestDigest === pending.key?.requestDigest
      ? { ok: before.ok, replayed: true }
      : { refused: 'idempotency_key_reused' };
  });
}

function notRun(): GroupOutcome {
  return { error: new Error('The command was not run') };
}

function runCommands<Name extends CommandName>(
  transaction: Transaction,
  batch: readonly PendingCommand<Name>[],
): Promise<readonly GroupOutcome[]> {
  const [first, ...others] = batch;
  if (first === undefined) return Promise.resolve([]);
  const runner: CommandRunner<Name> = commands[first.name];
  return 'runMany' in runner
    ? runner.runMany(transaction, [first.input, ...others.map(({ input }) => input)])
    : runEach(batch, ({ input }) => runner.run(transaction, input));
}

async function runEach<Pending>(
  batch: readonly Pending[],
  run: (pending: Pending) => Promise<GroupOutcome>,
): Promise<readonly GroupOutcome[]> {
  const outcomes: GroupOutcome[] = [];
  for (const pending of batch) outcomes.push(await run(pending));
  return outcomes;
}
