import { DatabaseError } from 'pg';
import { DatabaseUnavailable } from '../domain/database/database-error.ts';

/**
 * SQLSTATE classes and codes for failures of the server, the network or the moment, not of the statement
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html). The operator has to correct missing rights of the role
 * (42501) and missing tables (42P01), such as during the restore of a dump.
 */
const unavailableStates =
  /^(?:08|53|57|58|XX|40001$|40P01$|42501$|42P01$|55P03$|25006$|25P03$|28|3D000$|72000$)/;

const diskFullState = '53100';

/** A transaction with these met another one and did nothing, so it is retried. */
const conflictStates = new Set(['40001', '40P01']);

/** A failure of the driver or the network, without an answer of the server. Only this folder sees this error. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure';
}

/** Translates an error of connecting. Without an answer of the server, it is a failure of the connection. */
export function failureOfConnecting(error: unknown): Error {
  const isAnswer = error instanceof DatabaseError && error.code !== undefined;
  return isAnswer || error instanceof DatabaseUnavailable
    ? error
    : new ConnectionFailure(describe(error), { cause: error });
}

/**
 * Translates an error of a query. The driver throws plain errors of its own and of the socket. A value that it cannot encode or
 * decode is a programming error with its own class, such as TypeError.
 */
export function failureOfQuery(error: unknown): unknown {
  if (sqlState(error) !== undefined) return error;
  const isFailure =
    error instanceof DatabaseError || isSystemError(error) || Object(error).constructor === Error;
  return isFailure ? new ConnectionFailure(describe(error), { cause: error }) : error;
}

/** Whether an error is one of the socket, by Node's code: ECONNRESET, EPIPE, ETIMEDOUT and others. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
}

/** The SQLSTATE; undefined if the server did not answer. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

export function isConflict(error: unknown): boolean {
  return conflictStates.has(sqlState(error) ?? '');
}

/** Whether the connection ended, is ending or is silent. */
export function isDisconnection(error: unknown): boolean {
  return error instanceof ConnectionFailure || /^(?:08|57P0[1-5])/.test(sqlState(error) ?? '');
}

/** Whether the server rejected a statement. */
export function isRefusal(error: unknown): boolean {
  return sqlState(error) !== undefined && !isDisconnection(error);
}

/** Translates errors of the driver. Every query in this folder passes them through here once. */
export function translateError(error: unknown): unknown {
  if (error instanceof ConnectionFailure) {
    return new DatabaseUnavailable(`PostgreSQL cannot be reached: ${error.message}`, {
      cause: error,
    });
  }
  const state = sqlState(error);
  if (state === undefined || !unavailableStates.test(state)) return error;
  return new DatabaseUnavailable(`PostgreSQL answered ${state}: ${describe(error)}`, {
    cause: error,
    isFull: state === diskFullState,
  });
}

function describe(error: unknown): string {
  // It has one error for each address of the host, and no message.
  if (error instanceof AggregateError) return describe(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
