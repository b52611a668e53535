import { CallEnded } from '../../domain/values/context.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { lockAuditTrail } from '../access/audit-trail.ts';
import type { CommandName, GroupOutcome, PendingCommand } from '../contract/command-writer.ts';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../contract/database-error.ts';
import type { Transact, Transaction } from '../queryable.ts';
import { commands } from '../registry.ts';
import type { CommandRunner } from './command-table.ts';
import { findStored, storeResults } from './stored-results.ts';

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
      const locksTrail = group.some(({ name }) => commands[name].locksAuditTrailFirst);
      if (locksTrail) await lockAuditTrail(transaction);
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
  const outcomes = new Map<PendingCommand, GroupOutcome>();
  for (const batch of toBatches(group)) {
    const results = await runBatch(transaction, batch);
    for (const [index, pending] of batch.entries()) outcomes.set(pending, at(results, index));
  }
  return group.map((pending) => outcomes.get(pending) ?? notRun);
}

const notRun: GroupOutcome = { error: new Error('The command was not run') };

function at(outcomes: readonly GroupOutcome[], index: number): GroupOutcome {
  return outcomes[index] ?? notRun;
}

/**
 * Commands of one name and workspace run together, in their order. Commands between them may run before or after: no client
 * knows yet in which order they arrived. A key is in a batch once, because its next command must find the result of this one.
 */
function toBatches(group: readonly PendingCommand[]): Iterable<readonly PendingCommand[]> {
  const counts = new Map<string, number>();
  return Map.groupBy(group, (pending) => {
    const { name, key } = pending;
    const scope = `${name} ${workspaceOf(pending)}`;
    if (key === undefined) return scope;
    const keyed = `${scope} ${key.key}`;
    const earlier = counts.get(keyed) ?? 0;
    counts.set(keyed, earlier + 1);
    return earlier === 0 ? scope : `${scope} ${earlier}`;
  }).values();
}

/** The workspace of a command that changes its records; undefined for other commands. */
export function workspaceOf({ input }: PendingCommand): Int64 | undefined {
  return 'workspaceId' in input ? input.workspaceId : undefined;
}

/** Runs the commands of a batch, except those whose keys have a stored result. */
async function runBatch(
  transaction: Transaction,
  batch: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  const keys = batch.flatMap(({ key }) => key ?? []);
  if (keys.length === 0) return runCommands(transaction, batch);
  const stored = await findStored(transaction, keys);
  const fresh = batch.filter(({ key }) => key === undefined || !stored.has(key.key));
  const results = await runCommands(transaction, fresh);
  const done = fresh.flatMap(({ key }, index) => {
    const outcome = at(results, index);
    // A refused command changed nothing, and may be retried.
    return key !== undefined && 'ok' in outcome ? [{ key, ok: outcome.ok }] : [];
  });
  storeResults(transaction, done);
  const resultOf = new Map(fresh.map((pending, index) => [pending, at(results, index)]));
  return batch.map((pending) => {
    const before = pending.key && stored.get(pending.key.key);
    if (before === undefined) {
      const result = resultOf.get(pending) ?? notRun;
      return 'ok' in result ? { ...result, replayed: false } : result;
    }
    return before.requestDigest === pending.key?.requestDigest
      ? { ok: before.ok, replayed: true }
      : { refused: 'idempotency_key_reused' };
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
