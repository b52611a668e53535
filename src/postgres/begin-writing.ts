import type { ClientBase } from 'pg';

// Behind a connection pooler, a session keeps nothing, because each transaction can get another one. So a transaction sets its own
// limits, in one message with BEGIN. In a session of this process alone, the check has set most of them.

/** How long a statement may take. The limit of the server is shorter, so that the server stops the statement first. */
export const statementMillisecondsMax = 2000;
export const statementMillisecondsMaxOfServer = 1800;
/** The server ends a transaction whose client is silent for this long. */
export const idleInTransactionMillisecondsMax = 5000;

/** What the last check of a connection found. */
export interface CheckedConnection {
  /** Whether a pooler is between this process and the server, so that other clients use the same session. */
  readonly isPooled: boolean;
  /** How far a commit must get before it is acknowledged; undefined if this process does not decide it. */
  readonly synchronousCommit: 'on' | 'remote_apply' | undefined;
}

const connections = new WeakMap<object, CheckedConnection>();

export function noteConnection(client: object, connection: CheckedConnection): void {
  connections.set(client, connection);
}

/** @throws Error for a connection that was not checked. */
export function connectionOf(client: object): CheckedConnection {
  const connection = connections.get(client);
  if (connection === undefined) throw new Error('The connection was not checked');
  return connection;
}

export interface TransactionLimits {
  readonly statementMilliseconds?: number | undefined;
  readonly lockMilliseconds?: number;
  /** 0 means that there is no limit. */
  readonly idleMilliseconds?: number;
}

/**
 * Begins a transaction that writes. Its isolation level is set, because the default of the database can be another one, and
 * notices are on, because they include the warning that a commit did not reach its standby.
 */
export async function beginWriting(
  client: ClientBase,
  {
    statementMilliseconds = statementMillisecondsMaxOfServer,
    lockMilliseconds = statementMillisecondsMaxOfServer,
    idleMilliseconds = idleInTransactionMillisecondsMax,
  }: TransactionLimits = {},
): Promise<void> {
  const { isPooled, synchronousCommit } = connectionOf(client);
  const isUsual = statementMilliseconds === statementMillisecondsMaxOfServer;
  const isUsualIdle = idleMilliseconds === idleInTransactionMillisecondsMax;
  const settings = [
    (isPooled || !isUsualIdle) && `idle_in_transaction_session_timeout = ${idleMilliseconds}`,
    (isPooled || !isUsual) && `statement_timeout = ${statementMilliseconds}`,
    // A statement ends before its wait for a lock.
    lockMilliseconds < statementMilliseconds && `lock_timeout = ${lockMilliseconds}`,
    isPooled && 'client_min_messages = notice',
    isPooled && 'search_path = pg_catalog',
    synchronousCommit !== undefined && `synchronous_commit = ${synchronousCommit}`,
  ];
  const sets = settings.flatMap((setting) => (setting === false ? [] : [`SET LOCAL ${setting}`]));
  await client.query(['BEGIN ISOLATION LEVEL READ COMMITTED', ...sets].join('; '));
}
