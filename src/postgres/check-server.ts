import type { ClientBase } from 'pg';
import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database.ts';
import type { Host } from './location.ts';
import { statement } from './statement.ts';

export interface ServerCheckOptions {
  /** Takes a server that may lose what it acknowledged. */
  readonly allowDataLoss: boolean;
  /** As long as asking the server may take. */
  readonly askMillisecondsMax: number;
}

/** Fails where a connection leads to a server that is not to be used, and readies the session where it is. */
export type ServerCheck = (client: ClientBase, host: Host) => Promise<void>;

/**
 * Checks that a server takes writes and keeps them. To be repeated while a session lasts: most settings of a server can be
 * changed under it.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function createServerCheck(options: ServerCheckOptions): ServerCheck {
  const { allowDataLoss, askMillisecondsMax } = options;
  const limits = { query_timeout: askMillisecondsMax };

  return async (client, { host, port }) => {
    const reset = { ...resetSynchronousCommit, ...limits };
    await client.query(reset);
    const select = { ...selectServerState, values: [allowDataLoss], ...limits };
    const { rows } = await client.query<ServerState>(select);
    const state = rows[0];
    if (state === undefined || state.isStandby) {
      throw new DatabaseUnavailable(`${host}:${port} is a standby and takes no writes`);
    }
    const off = durabilitySettings.filter((name) => state[name] === 'off');
    if (off.length > 0 && !allowDataLoss) {
      throw new DatabaseUnusable(
        `PostgreSQL at ${host}:${port} runs with ${off.map((name) => `${name}=off`).join(', ')} and may lose what it acknowledged; turn it on, or accept that with --allow-data-loss true`,
      );
    }
  };
}

interface ServerState {
  readonly isStandby: boolean;
  readonly fsync: string | null;
  readonly full_page_writes: string | null;
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
    CASE WHEN NOT $1 AND current_setting('synchronous_commit') <> 'remote_apply'
      THEN set_config('synchronous_commit', 'on', false)
    END AS synchronous_commit`);
