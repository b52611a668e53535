import { DatabaseError } from 'pg';
import { DatabaseUnavailable } from '../storage/contract/database-error.ts';

/**
 * SQLSTATE classes and codes for failures of the server, the network or the moment, not of the statement
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html). The operator has to correct missing rights of the role
 * (42501) and missing tables (42P01), such as during the restore of a dump, and values that the database cannot hold (22): the
 * contract has checked them, so the database has another encoding or other columns.
 */
const unavailableStates =
  /^(?:08|22|53|57|58|XX|40001$|40P01$|42501$|42P01$|55P03$|25006$|25P03$|28|3D000$|72000$)/;

const diskFullState = '53100';

/** A prepared statement is missing, or there is another one with its name: another client uses the same session. */
const preparedStates = /^(?:26000|42P05)$/;

/** A connection pooler that gives each transaction another session, and does not know prepared statements. */
export const sharedSessionLine =
  'The connection pooler does not keep prepared statements: use PgBouncer 1.21 or later with max_prepared_statements above 0, or pool_mode = session (docs/operations.md, Connection poolers)';

/** A failure of the driver or the network, without an answer of the server. Only this file distinguishes this class. */
class ConnectionFailure extends DatabaseUnavailable {
  /** The log shows the name of the class. */
  static override readonly name = 'DatabaseUnavailable';
  constructor(cause: unknown) {
    const cure = certificateCodes.test(codeOf(cause)) ? certificateCure : '';
    super(`PostgreSQL cannot be reached: ${describeError(cause)}${cure}`, { cause });
  }
}

/** Codes of Node.js for a certificate whose issuer is not known. */
const certificateCodes =
  /^(?:SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER_CERT(?:_LOCALLY)?|VERIFY_LEAF_SIGNATURE))$/;

const certificateCure = ': name the file of its CA in the URL (sslrootcert=FILE)';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Translates an error of connecting. Without an answer of the server, it is a failure of the connection. */
export function failureOfConnecting(error: unknown): unknown {
  return sqlState(error) === undefined && !(error instanceof DatabaseUnavailable)
    ? new ConnectionFailure(error)
    : failureOfQuery(error);
}

/**
 * Translates an error of a query, once for all queries in this folder. The driver throws plain errors of its own and of the
 * socket. A value that it cannot encode or decode is a programming error with its own class, such as TypeError.
 */
export function failureOfQuery(error: unknown): unknown {
  const state = sqlState(error);
  if (state !== undefined && preparedStates.test(state)) {
    return new DatabaseUnavailable(sharedSessionLine, { cause: error });
  }
  if (state !== undefined && unavailableStates.test(state)) {
    const message = `PostgreSQL answered ${state}: ${describeError(error)}`;
    return new DatabaseUnavailable(message, { cause: error, isFull: state === diskFullState });
  }
  // Node's codes of the socket: ECONNRESET, EPIPE, ETIMEDOUT and others.
  const isOfSystem = /^E[A-Z]+$/.test(codeOf(error));
  const isFailure =
    error instanceof DatabaseError || isOfSystem || Object(error).constructor === Error;
  return state === undefined && isFailure ? new ConnectionFailure(error) : error;
}

/** The SQLSTATE, also of a translated error; undefined if the server did not answer. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof DatabaseUnavailable) return sqlState(error.cause);
  return error instanceof DatabaseError ? error.code : undefined;
}

/** Whether a transaction met another one and did nothing, so that it can be retried. */
export function isConflict(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(sqlState(error) ?? '');
}

/** Whether the connection ended, is ending or is silent. */
export function isDisconnection(error: unknown): boolean {
  return error instanceof ConnectionFailure || /^(?:08|57P0[1-5])/.test(sqlState(error) ?? '');
}

/** The message of the server, the driver or the system. */
export function describeError(error: unknown): string {
  if (error instanceof DatabaseUnavailable && error.cause) return describeError(error.cause);
  // It has one error for each address of the host, and no message.
  if (error instanceof AggregateError) return describeError(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
