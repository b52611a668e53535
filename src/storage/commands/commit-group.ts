import type { Refused } from '../../domain/database/command.ts';
import type { CommandName } from '../../domain/database/commands.ts';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import type { IdempotencyKey } from '../../domain/database/idempotency.ts';
import type { Transact, Transaction } from '../queryable.ts';
import { commands } from './commands.ts';
import { findStored, sharesScope, storeResults } from './idempotency.ts';

/** A command on its way to where it is run: plain data. */
export interface PendingCommand {
  readonly name: CommandName;
  readonly input: unknown;
  /** Under which it is done at most once. */
  readonly key: IdempotencyKey | undefined;
}

/** What became of a command; `error` where it failed, which is no refusal. */
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
      // Also what was so before is told only once it is sure to be kept: a client may ask again because the first commit failed.
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
  const runs = batchesByName(group);
  return runs.length === 1 ? runBatch(transaction, group) : runInTurn(transaction, group, runs);
}

async function runInTurn(
  transaction: Transaction,
  group: readonly PendingCommand[],
  runs: readonly (readonly PendingCommand[])[],
): Promise<readonly GroupOutcome[]> {
  const outcomeOf = new Map<PendingCommand, GroupOutcome>();
  for (const alike of runs) {
    for (const [index, outcome] of (await runBatch(transaction, alike)).entries()) {
      const pending = alike[index];
      if (pending !== undefined) outcomeOf.set(pending, outcome);
    }
  }
  return group.map((pending) => outcomeOf.get(pending) ?? notRun());
}

/**
 * Those of one name run together, whatever stands between them: nobody knows yet in which order they are done. They are parted
 * where the scope of the keys changes, and where a key comes again, which is to find the first.
 */
function batchesByName(group: readonly PendingCommand[]): readonly PendingCommand[][] {
  const ofEachName = [...Map.groupBy(group, ({ name }) => name).values()];
  return ofEachName.flatMap(partByKeys);
}

function partByKeys(alike: readonly PendingCommand[]): readonly PendingCommand[][] {
  const runs: PendingCommand[][] = [];
  let run: PendingCommand[] = [];
  let keys = new Set<string>();
  let scope: IdempotencyKey | undefined;
  for (const pending of alike) {
    const { key } = pending;
    const fits =
      key === undefined || (!keys.has(key.key) && (scope === undefined || sharesScope(scope, key)));
    if (run.length === 0 || !fits) {
      run = [];
      runs.push(run);
      keys = new Set();
      scope = undefined;
    }
    run.push(pending);
    if (key === undefined) continue;
    keys.add(key.key);
    scope = key;
  }
  return runs;
}

/** Runs commands of one name, but those that were done before under their keys. */
function runBatch(
  transaction: Transaction,
  alike: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  const keys = alike.flatMap(({ key }) => key ?? []);
  return keys.length === 0 ? runMany(transaction, alike) : runKeyed(transaction, alike, keys);
}

async function runKeyed(
  transaction: Transaction,
  alike: readonly PendingCommand[],
  keys: readonly IdempotencyKey[],
): Promise<readonly GroupOutcome[]> {
  const found = await findStored(transaction, keys);
  const fresh = alike.filter(({ key }) => key === undefined || !found.has(key.key));
  const outcomes = await runMany(transaction, fresh);
  const outcomeOf = new Map(fresh.map((pending, index) => [pending, outcomes[index]]));
  storeResults(
    transaction,
    fresh.flatMap((pending) => {
      const outcome = outcomeOf.get(pending);
      const { key } = pending;
      // What was refused changed nothing, and may be asked again.
      return key === undefined || outcome === undefined || !('ok' in outcome)
        ? []
        : [{ key, ok: outcome.ok }];
    }),
  );
  return alike.map((pending) => {
    const before = pending.key && found.get(pending.key.key);
    if (before === undefined) return outcomeOf.get(pending) ?? notRun();
    return before.requestDigest === pending.key?.requestDigest
      ? { ok: before.ok, replayed: true }
      : { refused: 'idempotency_key_reused' };
  });
}

function notRun(): GroupOutcome {
  return { error: new Error('It was not run') };
}

function runMany(
  transaction: Transaction,
  alike: readonly PendingCommand[],
): Promise<readonly GroupOutcome[]> {
  const inputs = alike.map(({ input }) => input);
  const [first] = alike;
  const runner = first && (commands[first.name] as Runner);
  if (runner === undefined) return Promise.resolve([]);
  return 'runMany' in runner
    ? runner.runMany(transaction, inputs)
    : runEach(transaction, runner, inputs);
}

async function runEach(
  transaction: Transaction,
  runner: SingleRunner,
  inputs: readonly unknown[],
): Promise<readonly GroupOutcome[]> {
  const outcomes: GroupOutcome[] = [];
  for (const input of inputs) outcomes.push(await runner.run(transaction, input));
  return outcomes;
}

/** Of whichever command: the types of its name and input belong together where it is written. */
interface SingleRunner {
  run(transaction: Transaction, input: unknown): Promise<GroupOutcome>;
}

type Runner =
  | SingleRunner
  | {
      runMany(
        transaction: Transaction,
        inputs: readonly unknown[],
      ): Promise<readonly GroupOutcome[]>;
    };
