import type { ClientBase } from 'pg';
import type { Transaction } from '../storage/queryable.ts';
import { statement } from '../storage/statement.ts';
import { sqlState } from './errors.ts';
import { toQuery } from './queryable.ts';

/**
 * Which tables these are. It stays as it is through restarts, failovers to a physical standby, VACUUM FULL and ALTER TABLE;
 * it is another after a dump was restored, in a database made from this one as a template, and after pg_upgrade.
 */
export interface Identity {
  /** Of the cluster; null where the role may not ask for it, which then tells nothing. */
  readonly system: string | null;
  /** The oids of the database and of the tables with the counters of ids. */
  readonly tables: string;
}

export function isSameIdentity(one: Identity, other: Identity): boolean {
  const isSameSystem = one.system === null || other.system === null || one.system === other.system;
  return isSameSystem && one.tables === other.tables;
}

/** SQL for the oids of the tables there are. It waits for no lock that somebody has on them. */
export const tableOids = `concat_ws('/', (SELECT oid FROM pg_database WHERE datname = current_database()),
  to_regclass('animal_store.meta')::oid, to_regclass('animal_store.workspaces')::oid)`;

const selectSystem = statement<{ system: string }>(
  'SELECT system_identifier::text AS system FROM pg_control_system()',
);

/** No such function, and no right to it: every role has it unless it was taken away. */
const notToldStates = new Set(['42883', '42501']);

/** The identifier of the cluster, where it is told. Not for within a transaction, which would be over where it is not. */
export async function readSystem(client: ClientBase): Promise<string | null> {
  try {
    const { rows } = await client.query<{ system: string }>(toQuery(selectSystem));
    return rows[0]?.system ?? null;
  } catch (error) {
    if (!notToldStates.has(sqlState(error) ?? '')) throw error;
    return null;
  }
}

const selectStored = statement<Identity>(`
  SELECT system_identifier AS system, table_oids AS tables FROM meta`);

/** What the row of `meta` says; undefined where there is none. */
export async function readStoredIdentity(client: ClientBase): Promise<Identity | undefined> {
  const { rows } = await client.query<Identity>(toQuery(selectStored));
  return rows[0];
}

const updateIdentity = statement(
  `UPDATE meta SET system_identifier = $1, table_oids = ${tableOids}`,
);

/** Says in the row of `meta` that these are the tables it is about. */
export function takeIdentity(transaction: Transaction, system: string | null): void {
  transaction.runDeferred(updateIdentity, [system]);
}
