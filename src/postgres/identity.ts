import type { ClientBase } from 'pg';
import { sqlState } from './errors.ts';
import { type Session, statement } from './statement.ts';

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
  to_regclass('animal_store.store')::oid, to_regclass('animal_store.workspaces')::oid)`;

const selectSystem = statement<{ system: string }>(
  'SELECT system_identifier::text AS system FROM pg_control_system()',
);

/** No such function, and no right to it: every role has it unless it was taken away. */
const notToldStates = new Set(['42883', '42501']);

/** The identifier of the cluster, where it is told. Not for within a transaction, which would be over where it is not. */
export async function readSystem(client: ClientBase): Promise<string | null> {
  try {
    const { rows } = await client.query<{ system: string }>({ ...selectSystem });
    return rows[0]?.system ?? null;
  } catch (error) {
    if (!notToldStates.has(sqlState(error) ?? '')) throw error;
    return null;
  }
}

// Of a schema that is older than the columns, both are null.
const selectStored = statement<{ system: string | null; tables: string | null }>(`
  SELECT to_jsonb(store) ->> 'system_identifier' AS system, to_jsonb(store) ->> 'table_oids' AS tables
  FROM store`);

/** What the row of `store` says; undefined where there is none, and without tables where the schema is older. */
export async function readStoredIdentity(
  client: ClientBase,
): Promise<Identity | { readonly tables: null } | undefined> {
  const { rows } = await client.query<Identity | { tables: null }>({ ...selectStored });
  return rows[0];
}

const updateIdentity = statement(
  `UPDATE store SET system_identifier = $1, table_oids = ${tableOids}`,
);

/** Says in the row of `store` that these are the tables it is about. */
export async function takeIdentity(session: Session, system: string | null): Promise<void> {
  await session.run(updateIdentity, [system]);
}
