import { DatabaseError } from 'pg';
import { DatabaseUnavailable } from '../domain/database.ts';

/**
 * SQLSTATE classes and codes where the server, the network or the moment fails, and not the statement
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const unavailableStates = /^(?:08|53|57|58|XX|40001$|40P01$|55P03$|25006$|25P03$|28|3D000$|72000$)/;

const diskFullState = '53100';

/**
 * What `pg` says to a server that asks by SCRAM where it has no password, and what a server says that asks for it as it
 * is: `pg` then sends none. By MD5 it sends a wrong one, which is told as such.
 */
const noPassword = /client password must be a|empty password returned by client/;

/** What is worth another try of the whole transaction: it met another one, and did nothing. */
const conflictStates = new Set(['40001', '40P01']);

/** SQLSTATE, where it was the server that answered. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

export function isConflict(error: unknown): boolean {
  return conflictStates.has(sqlState(error) ?? '');
}

/** The connection ended or is ending: nothing more is to be had from it. */
export function isDisconnection(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== undefined) return /^(?:08|57P0[1-5])/.test(state);
  return isDriverError(error) && !/timeout/i.test((error as Error).message);
}

/** What `pg` and the socket below it throw are plain errors; mistakes of ours have a class of their own. */
function isDriverError(error: unknown): boolean {
  return error instanceof AggregateError || (error instanceof Error && error.constructor === Error);
}

/** Translates what the driver throws, once, at the edge of this folder. */
export function translateError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailable) return error;
  const state = sqlState(error);
  const isUnavailable = state === undefined ? isDriverError(error) : unavailableStates.test(state);
  if (!isUnavailable) return error;
  if (noPassword.test(describe(error))) {
    const line = 'PostgreSQL asks for a password: give it in the address or as PGPASSWORD';
    return new DatabaseUnavailable(line, { cause: error });
  }
  return new DatabaseUnavailable(
    state === undefined
      ? `PostgreSQL cannot be reached: ${describe(error)}`
      : `PostgreSQL answered ${state}: ${describe(error)}`,
    { cause: error, isFull: state === diskFullState },
  );
}

function describe(error: unknown): string {
  // One for each address of the host's name, and no message of its own.
  if (error instanceof AggregateError) return describe(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
