import type { ClientBase } from 'pg';
import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database/database-error.ts';
import { statement } from '../storage/statement.ts';
import {
  type Identity,
  isSameIdentity,
  readStoredIdentity,
  readSystem,
  tableOids,
} from './identity.ts';
import type { Host } from './location.ts';
import { toQuery } from './queryable.ts';

export interface ServerCheckOptions {
  /** Takes a server that may lose what it acknowledged. */
  readonly allowDataLoss: boolean;
  /** Takes tables that were restored from a dump, to make them ready for use. */
  readonly takesRestored?: boolean;
  /** As long as asking the server may take. */
  readonly askMillisecondsMax: number;
}

/** Fails where a connection leads to a server that is not to be used, and readies the session where it is. */
export type ServerCheck = (client: ClientBase, host: Host) => Promise<void>;

export const restoredLine =
  'The tables were restored or moved; new ids could repeat: stop all servers and run animal-store accept-restored (docs/operations.md, Backups of PostgreSQL)';

/**
 * Checks that a server takes writes, keeps them, and holds the tables that it is taken to hold. To be repeated while a
 * session lasts: most settings of a server can be changed under it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function createServerCheck(options: ServerCheckOptions): ServerCheck {
  const { allowDataLoss, takesRestored = false, askMillisecondsMax } = options;
  const limits = { query_timeout: askMillisecondsMax };
  /** What was last seen to be what the row of `meta` says. */
  let known: Identity | undefined;
  const systems = new WeakMap<object, string | null>();

  /** Of a session, this stays what it is. */
  async function systemOf(client: ClientBase): Promise<string | null> {
    const read = systems.get(client);
    if (read !== undefined) return read;
    const system = await readSystem(client);
    systems.set(client, system);
    return system;
  }

  // The row is read only where there is something new to learn: a migration may hold the table for minutes.
  async function checkIdentity(client: ClientBase, tables: string): Promise<void> {
    const found = { system: await systemOf(client), tables };
    if (known !== undefined && isSameIdentity(known, found)) return;
    const stored = await readStoredIdentity(client);
    // No row at all is one that is still to be restored.
    if (stored === undefined || !isSameIdentity(stored, found)) {
      throw new DatabaseUnusable(restoredLine);
    }
    known = found;
  }

  return async (client, { host, port }) => {
    const reset = { ...toQuery(resetSynchronousCommit), ...limits };
    await client.query(reset);
    const select = { ...toQuery(selectServerState, [String(allowDataLoss)]), ...limits };
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

// What the server would have us use, by its configuration, the role or the database: it may have changed.
const resetSynchronousCommit = statement('RESET synchronous_commit');

// A session may choose for itself how far a commit goes before it is acknowledged, and one that has chosen is not touched by
// a change of configuration. What is less than the standby's disk is not left to others to choose; what is more is.
const selectServerState = statement<ServerState>(`
  SELECT pg_is_in_recovery() AS "isStandby",
    current_setting('fsync', true) AS fsync,
    current_setting('full_page_writes', true) AS full_page_writes,
    to_regclass('animal_store.meta') IS NOT NULL AS "hasTables",
    ${tableOids} AS tables,
    CASE WHEN NOT $1::boolean AND current_setting('synchronous_commit') <> 'remote_apply'
      THEN set_config('synchronous_commit', 'on', false)
    END AS synchronous_commit`);
