import type { Client } from 'pg';
import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database/database-error.ts';
import { statement } from '../storage/statement.ts';
import {
  type Identity,
  isSameIdentity,
  readStoredIdentity,
  readSystem,
  tableOids,
} from './identity.ts';
import { toQuery } from './queryable.ts';

export interface ServerCheckOptions {
  /** Accepts a server that can lose committed data. */
  readonly allowDataLoss: boolean;
  /** Accepts tables that were restored from a dump, to prepare them for use. */
  readonly takesRestored?: boolean;
}

const queryMillisecondsMax = 1500;

export type ServerCheck = ReturnType<typeof createServerCheck>;

export const restoredLine =
  'The tables were restored or moved; new ids could repeat: stop all servers and run animal-store accept-restored (docs/operations.md, Backups of PostgreSQL)';

/**
 * Returns a check that a server accepts writes, keeps them, and has the expected tables. It prepares the session. The check is
 * repeated during a session, because most settings of a server can change.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function createServerCheck({ allowDataLoss, takesRestored = false }: ServerCheckOptions) {
  /** The identity that last matched the row of `meta`. */
  let known: Identity | undefined;
  /** A session always has the same system. */
  const systems = new WeakMap<object, string | null>();

  // The row is read only if the identity is new, because a migration may lock the table for minutes.
  async function checkIdentity(client: Client, tables: string): Promise<void> {
    let system = systems.get(client);
    if (system === undefined) system = await readSystem(client);
    systems.set(client, system);
    const found = { system, tables };
    if (known !== undefined && isSameIdentity(known, found)) return;
    const stored = await readStoredIdentity(client);
    // A missing row means that its restore has not finished.
    if (stored === undefined || !isSameIdentity(stored, found)) {
      throw new DatabaseUnusable(restoredLine);
    }
    known = found;
  }

  return async (client: Client): Promise<void> => {
    const { host, port } = client;
    await client.query(toQuery(resetSynchronousCommit, [], queryMillisecondsMax));
    const select = toQuery(selectServerState, [String(allowDataLoss)], queryMillisecondsMax);
    const { rows } = await client.query<ServerState>(select);
    const state = rows[0];
    if (state === undefined || state.isStandby) {
      throw new DatabaseUnavailable(`${host}:${port} is a standby and accepts no writes`);
    }
    const off = durabilitySettings.filter((name) => state[name] === 'off');
    if (off.length > 0 && !allowDataLoss) {
      throw new DatabaseUnusable(
        `PostgreSQL at ${host}:${port} runs with ${off.map((name) => `${name}=off`).join(', ')} and can lose committed data; turn it on, or set --allow-data-loss true`,
      );
    }
    if (state.hasTables && !takesRestored) await checkIdentity(client, state.tables);
  };
}

interface ServerState {
  readonly isStandby: boolean;
  readonly fsync: string | null;
  readonly full_page_writes: string | null;
  readonly hasTables: boolean;
  readonly tables: string;
}

const durabilitySettings = ['fsync', 'full_page_writes'] as const;

// Resets to the value of the configuration, the role or the database, which may have changed.
const resetSynchronousCommit = statement('RESET synchronous_commit');

// A session chooses how far a commit must get before it is acknowledged, and keeps its choice when the configuration changes. It
// must be at least the disk of the standby. More is allowed.
const selectServerState = statement<ServerState>(`
  SELECT pg_is_in_recovery() AS "isStandby",
    current_setting('fsync', true) AS fsync,
    current_setting('full_page_writes', true) AS full_page_writes,
    to_regclass('animal_store.meta') IS NOT NULL AS "hasTables",
    ${tableOids} AS tables,
    CASE WHEN NOT $1::boolean AND current_setting('synchronous_commit') <> 'remote_apply'
      THEN set_config('synchronous_commit', 'on', false)
    END AS synchronous_commit`);
