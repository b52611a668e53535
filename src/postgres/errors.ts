import { DatabaseError } from 'pg';
import { DatabaseUnavailable } from '../domain/database/database-error.ts';

/**
 * SQLSTATE classes and codes where the server, the network or the moment fails, and not the statement
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html). What the role may not do (42501) and tables that are
 * not there (42P01), as while a dump is restored, are for the operator to mend.
 */
const unavailableStates =
  /^(?:08|53|57|58|XX|40001$|40P01$|42501$|42P01$|55P03$|25006$|25P03$|28|3D000$|72000$)/;

const diskFullState = '53100';

/** What is worth another try of the whole transaction: it met another one, and did nothing. */
const conflictStates = new Set(['40001', '40P01']);

/** The driver or the network below it failed, and no server said why. Nobody but this folder sees it. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure';
}

/** What connecting threw: whatever no server said is a failure of the connection. */
export function failureOfConnecting(error: unknown): Error {
  const wasTold = error instanceof DatabaseError && error.code !== undefined;
  return wasTold || error instanceof DatabaseUnavailable
    ? error
    : new ConnectionFailure(describe(error), { cause: error });
}

/**
 * What asking the server threw. The driver throws plain errors of its own and those of the socket; a value that it
 * cannot send or read is a mistake of ours, and has a class of its own, such as TypeError.
 */
export function failureOfQuery(error: unknown): unknown {
  if (sqlState(error) !== undefined) return error;
  const isFailure =
    error instanceof DatabaseError || isSystemError(error) || Object(error).constructor === Error;
  return isFailure ? new ConnectionFailure(describe(error), { cause: error }) : error;
}

/** An error of the socket, by Node's code for it: ECONNRESET, EPIPE, ETIMEDOUT and the like. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
}

/** SQLSTATE, where it was the server that answered. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

export function isConflict(error: unknown): boolean {
  return conflictStates.has(sqlState(error) ?? '');
}

/** The connection ended, is ending or is silent: nothing more is to be had from it. */
export function isDisconnection(error: unknown): boolean {
  return error instanceof ConnectionFailure || /^(?:08|57P0[1-5])/.test(sqlState(error) ?? '');
}

/** The server has refused a statement, and said why. */
export function isRefusal(error: unknown): boolean {
  return sqlState(error) !== undefined && !isDisconnection(error);
}

/** Translates what the driver throws, once, at the edge of this folder. */
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
  // One for each address of the host's name, and no message of its own.
  if (error instanceof AggregateError) return describe(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
