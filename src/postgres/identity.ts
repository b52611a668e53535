import type { ClientBase } from 'pg';
import type { Transaction } from '../storage/queryable.ts';
import { statement } from '../storage/statement.ts';
import { toQuery } from './client-queryable.ts';
import { sqlState } from './driver-errors.ts';

/**
 * Identifies the tables. It stays the same through restarts, failovers to a physical standby, VACUUM FULL and ALTER TABLE. It
 * differs after the restore of a dump, in a database made from this one as a template, and after pg_upgrade.
 */
export interface Identity {
  /** The identifier of the cluster; null if the role may not read it, which then matches any. */
  readonly system: string | null;
  /** The oids of the database and of the tables with the counters of ids. */
  readonly tables: string;
}

export function isSameIdentity(one: Identity, other: Identity): boolean {
  const isSameSystem = one.system === null || other.system === null || one.system === other.system;
  return isSameSystem && one.tables === other.tables;
}

/** SQL for the oids of the existing tables. It waits for no lock on them. */
export const tableOids = `pg_catalog.concat_ws('/', (SELECT oid FROM pg_database WHERE datname = current_database()),
  to_regclass('animal_store.meta')::oid, to_regclass('animal_store.workspaces')::oid)`;

const selectSystem = statement<{ system: string }>(
  'SELECT system_identifier::text AS system FROM pg_control_system()',
);

const selectTables = statement<{ tables: string }>(`SELECT ${tableOids} AS tables`);

/** Reads the oids of the database and its tables. */
export async function readTables(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ tables: string }>(toQuery(selectTables));
  return rows[0]?.tables;
}

/** The function does not exist, or the role has no right to it, which every role has by default. */
const notAvailableStates = new Set(['42883', '42501']);

/** Reads the identifier of the cluster. Not inside a transaction, because a failure would abort it. */
export async function readSystem(client: ClientBase): Promise<string | null> {
  try {
    const { rows } = await client.query<{ system: string }>(toQuery(selectSystem));
    return rows[0]?.system ?? null;
  } catch (error) {
    if (!notAvailableStates.has(sqlState(error) ?? '')) throw error;
    return null;
  }
}

const selectStored = statement<Identity>(`
  SELECT system_identifier AS system, table_oids AS tables FROM meta`);

/** Reads the identity in the row of `meta`; undefined without a row. */
export async function readStoredIdentity(client: ClientBase): Promise<Identity | undefined> {
  const { rows } = await client.query<Identity>(toQuery(selectStored));
  return rows[0];
}

const updateIdentity = statement(
  `UPDATE meta SET system_identifier = $1, table_oids = ${tableOids}`,
);

/** Stores the identity of the present tables in the row of `meta`. */
export function takeIdentity(transaction: Transaction, system: string | null): void {
  transaction.runDeferred(updateIdentity, [system]);
}
