import type { ClientBase } from 'pg';
import { checkContext, shorten } from '../context/context.ts';
import { repeat } from '../context/repeat.ts';
import type { Context } from '../domain/values/context.ts';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../storage/contract/database-error.ts';
import type { Transact, Transaction } from '../storage/queryable.ts';
import { schemaName } from '../storage/schema/postgres-schema.ts';
import { newerWriterLine, writerVersion } from '../storage/schema/prepare-schema.ts';
import {
  columnNames,
  memberNames,
  replaceClause,
  type TableName,
  tables,
} from '../storage/schema/tables.ts';
import { statement } from '../storage/statement.ts';
import { beginWriting } from './begin-writing.ts';
import { createQueryable, type LimitedQuery, toQuery } from './client-queryable.ts';
import { type Connections, retryMillisecondsMax } from './connections.ts';
import { isConflict, isDisconnection, sqlState } from './driver-errors.ts';
import { explainWait, unknownByStandby } from './standby/standby-wait.ts';

/** How often a transaction is tried that conflicted with another one, or whose connection ended before its commit. */
const attemptsMax = 5;

/**
 * Runs transactions, and retries them if that cannot apply a change twice. `committed` is called before the result of a commit
 * is returned.
 * @throws DatabaseUnavailable if nothing was changed, and DatabaseOutcomeUnknown if the commit was running.
 */
export function createTransact(
  connections: Connections,
  committed: () => void,
): (context: Context) => Transact {
  return (context) => async (run) => {
    try {
      const { result, hasChanges } = await repeat(
        shorten(context, retryMillisecondsMax),
        { attemptsMax, isPassing: (error) => isConflict(error) || isDisconnection(error) },
        () => connections.use((client) => runTransaction(client, context, run)),
      );
      if (hasChanges) committed();
      return result;
    } catch (error) {
      // A commit with an unknown outcome may have succeeded.
      if (error instanceof DatabaseOutcomeUnknown) committed();
      throw await explainWait(connections, error);
    }
  };
}

// Every writing transaction reads this row. A migration that changes what writes must maintain waits for all of them, and later
// ones see it.
const selectWriter = statement<{ version: bigint }>('SELECT writer_version AS version FROM meta');

/**
 * Runs a transaction on one connection, which the caller ends if this fails. Deferred statements are awaited with the commit.
 * Without changes, nothing is committed.
 */
export async function runTransaction<Result>(
  client: ClientBase,
  context: Context,
  run: (transaction: Transaction) => Promise<Result>,
  statementMillisecondsMax?: number,
): Promise<{ readonly result: Result; readonly hasChanges: boolean }> {
  checkContext(context);
  // Nothing is written until the transaction has begun, because statements outside a transaction are committed at once.
  const [, { rows }] = await Promise.all([
    beginWriting(client, { statementMilliseconds: statementMillisecondsMax }),
    client.query<{ version: bigint }>(toQuery(selectWriter)),
  ]);
  if ((rows[0]?.version ?? 0n) > writerVersion) throw new DatabaseUnavailable(newerWriterLine);
  const { transaction, progress } = createTransaction(client, context, statementMillisecondsMax);
  let result: Result;
  try {
    result = await run(transaction);
  } catch (error) {
    throw await findReason(error, progress.sent);
  }
  const { hasChanges, sent } = progress;
  // A commit would flush row locks to disk, although nothing was changed.
  if (hasChanges) await commit(client, sent);
  else await client.query('ROLLBACK');
  return { result, hasChanges };
}

const abortedState = '25P02';

/** If the server only says that the transaction was aborted, an earlier deferred statement has the reason. */
async function findReason(error: unknown, sent: readonly Promise<unknown>[]): Promise<unknown> {
  if (sqlState(error) !== abortedState) return error;
  const answers = await Promise.allSettled(sent);
  const failed = answers.find((answer) => answer.status === 'rejected');
  return failed === undefined ? error : failed.reason;
}

/** From here on, the outcome of a failure is unknown unless the server rejects the commit (docs/decisions/postgresql.md). */
async function commit(client: ClientBase, sent: readonly Promise<unknown>[]): Promise<void> {
  let standbyLeftOut = false;
  const onNotice = ({ routine }: { routine?: string | undefined }) => {
    standbyLeftOut ||= routine === 'SyncRepWaitForLSN';
  };
  client.on('notice', onNotice);
  try {
    const [committed, ...answers] = await Promise.allSettled([client.query('COMMIT'), ...sent]);
    for (const answer of answers) {
      if (answer.status === 'fulfilled') continue;
      const { reason } = answer;
      // If a statement was rejected, or the connection ended at it, nothing was committed. Later statements do not change that.
      const state = sqlState(reason);
      if (state !== undefined && !state.startsWith('08')) throw reason;
      if (committed.status === 'fulfilled') {
        throw new DatabaseOutcomeUnknown('A statement was not sent', { cause: reason });
      }
    }
    if (committed.status === 'rejected' && isConflict(committed.reason)) throw committed.reason;
    if (standbyLeftOut) throw unknownByStandby(undefined);
    if (committed.status === 'rejected') {
      const { reason: cause } = committed;
      throw new DatabaseOutcomeUnknown('The connection failed during the commit', { cause });
    }
    if (committed.value.command !== 'COMMIT') {
      throw new DatabaseUnavailable('PostgreSQL rolled the transaction back');
    }
  } finally {
    client.off('notice', onNotice);
  }
}

interface Progress {
  /** The answers to deferred statements. */
  readonly sent: Promise<unknown>[];
  /** Whether the transaction has changes to commit. */
  hasChanges: boolean;
}

/** Runs statements on a connection that has begun a transaction, until the end of the call. The commit is not prevented any more. */
export function createTransaction(
  client: ClientBase,
  context: Context,
  queryMillisecondsMax?: number,
) {
  const progress: Progress = { sent: [], hasChanges: false };
  const queryable = createQueryable(client, queryMillisecondsMax);

  function send(query: LimitedQuery): void {
    checkContext(context);
    progress.hasChanges = true;
    const answer = client.query(query);
    // The commit reports the failure.
    answer.catch(() => {});
    progress.sent.push(answer);
  }

  const transaction: Transaction = {
    all(statement, values) {
      checkContext(context);
      progress.hasChanges ||= statement.changes;
      return queryable.all(statement, values);
    },
    async run(statement, values) {
      checkContext(context);
      progress.hasChanges = true;
      const query = toQuery(statement, values, queryMillisecondsMax);
      return (await client.query(query)).rowCount ?? 0;
    },
    runDeferred: (statement, values) => send(toQuery(statement, values, queryMillisecondsMax)),
    insert(table, rows, existing = 'refuse') {
      if (rows.length === 0) return;
      const { members, name, text } = findInsert(table, existing);
      const values = members.map((member) => rows.map((row) => row[member]));
      send({ name, text, values, query_timeout: queryMillisecondsMax });
    },
    mustCommit() {
      progress.hasChanges = true;
    },
    noteVersion() {},
    processActor: undefined,
  };
  return { transaction, progress };
}

const arrayTypes = { int8: 'bigint[]', 'int8?': 'bigint[]', text: 'text[]', 'text?': 'text[]' };

interface Insert {
  readonly name: string;
  readonly text: string;
  /** The members whose values are its parameters, each as an array of all rows. */
  readonly members: readonly string[];
}

/** The inserts of each table, made once. */
const inserts = new Map<string, Insert>();

function findInsert(table: TableName, existing: 'refuse' | 'replace'): Insert {
  const name = `insert ${table} ${existing}`;
  const found = inserts.get(name);
  if (found !== undefined) return found;
  const columns = columnNames(table);
  const types = Object.values(tables[table].columns);
  const arrays = types.map((type, index) => `$${index + 1}::${arrayTypes[type]}`);
  const insert = `
    INSERT INTO ${schemaName}.${table} (${columns.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`;
  const text = existing === 'refuse' ? insert : `${insert} ${replaceClause(table)}`;
  const made = { name, text, members: memberNames(columns) };
  inserts.set(name, made);
  return made;
}
