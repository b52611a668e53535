import type { Client } from 'pg';
import { DatabaseUnavailable, DatabaseUnusable } from '../storage/contract/database-error.ts';
import type { Durability } from '../storage/contract/durability.ts';
import { statement } from '../storage/statement.ts';
import {
  connectionOf,
  idleInTransactionMillisecondsMax,
  noteConnection,
  statementMillisecondsMaxOfServer,
} from './begin-writing.ts';
import { toQuery } from './client-queryable.ts';
import {
  type Identity,
  isSameIdentity,
  readStoredIdentity,
  readSystem,
  tableOids,
} from './identity.ts';

export interface ServerCheckOptions {
  /** What the server must promise about commits. */
  readonly durability: Durability;
  /** Accepts tables that were restored from a dump, to prepare them for use. */
  readonly takesRestored?: boolean;
  /** Accepts a database that cannot hold every name, to read from it. */
  readonly takesAnyEncoding?: boolean;
  /** Receives lines for the operator. */
  readonly report?: ((line: string) => void) | undefined;
}

const queryMillisecondsMax = 1500;

export type ServerCheck = ReturnType<typeof createServerCheck>;

export const restoredLine =
  'The tables were restored or moved; new ids could repeat: stop all servers and run animal-store accept-restored (docs/operations.md, Backups of PostgreSQL)';

/**
 * Returns a check that a server accepts writes, keeps them, can hold every name, and has the expected tables. It prepares the
 * session. The check is repeated during a session, because most settings of a server can change, and a pooler can lead to another.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export function createServerCheck({
  durability,
  takesRestored = false,
  takesAnyEncoding = false,
  report = () => {},
}: ServerCheckOptions) {
  let isPoolerReported = false;
  /** The identity that last matched the row of `meta`. */
  let known: Identity | undefined;
  /** A session of this process alone always has the same system. */
  const systems = new WeakMap<object, string | null>();

  // The row is read only if the identity is new, because a migration may lock the table for minutes.
  async function checkIdentity(client: Client, tables: string): Promise<void> {
    const { isPooled } = connectionOf(client);
    let system = isPooled ? undefined : systems.get(client);
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

  function reportPooler(place: string, { statementTimeout, role }: ServerState): void {
    if (isPoolerReported) return;
    isPoolerReported = true;
    if (statementTimeout !== '0') return;
    report(
      `PostgreSQL at ${place} is behind a connection pooler and has no statement_timeout, so a read that this server gave up may run on: ALTER ROLE ${role} SET statement_timeout = '${statementMillisecondsMaxOfServer}ms' ends it, in new sessions of the pooler (RECONNECT)`,
    );
  }

  return async (client: Client): Promise<void> => {
    const { host, port } = client;
    const values = [processIdOf(client), String(statementMillisecondsMaxOfServer)];
    const select = toQuery(selectServerState, values, queryMillisecondsMax);
    const { rows } = await client.query<ServerState>(select);
    const state = rows[0];
    if (state === undefined || state.isStandby) {
      throw new DatabaseUnavailable(`${host}:${port} is a standby and accepts no writes`);
    }
    const off = durabilitySettings.filter((name) => state[name] === 'off');
    if (off.length > 0 && durability === 'checked') {
      throw new DatabaseUnusable(
        `PostgreSQL at ${host}:${port} runs with ${off.map((name) => `${name}=off`).join(', ')} and can lose committed data: turn it on, or set --durability platform if the platform keeps commits otherwise`,
      );
    }
    if (state.encoding !== 'UTF8' && !takesAnyEncoding) {
      throw new DatabaseUnusable(
        `The database at ${host}:${port} has the encoding ${state.encoding}, which cannot hold every name: ${encodingCure}`,
      );
    }
    noteConnection(client, {
      isPooled: !state.isDirect,
      synchronousCommit: durability === 'unchecked' ? undefined : commitLevelOf(state),
    });
    if (!state.isDirect) reportPooler(`${host}:${port}`, state);
    if (state.hasTables && !takesRestored) await checkIdentity(client, state.tables);
  };
}

/** The process of the server that the other side named at the start. A pooler names none, or one of its own. */
function processIdOf(client: Client): number {
  return (client as Client & { readonly processID?: number | null }).processID ?? 0;
}

const encodingCure =
  "make one with ENCODING 'UTF8', and copy the data with animal-store copy (docs/operations.md, More than one machine)";

/** It must be at least the disk of the standby. More is allowed. */
function commitLevelOf({ synchronousCommit }: ServerState): 'on' | 'remote_apply' {
  return synchronousCommit === 'remote_apply' ? 'remote_apply' : 'on';
}

interface ServerState {
  readonly isStandby: boolean;
  readonly fsync: string | null;
  readonly full_page_writes: string | null;
  readonly synchronousCommit: string;
  readonly encoding: string;
  readonly isDirect: boolean;
  readonly statementTimeout: string;
  readonly role: string;
  readonly hasTables: boolean;
  readonly tables: string;
}

const durabilitySettings = ['fsync', 'full_page_writes'] as const;

// Reads outside of transactions need a limit of the session, and a commit that its standby did not confirm is a notice. They are set
// only in a session of this process alone: through a pooler, others would get them. What is set here need not be set in transactions.
// In another schema of the search path, another role could make a function or an operator that fits a call of ours better.
const selectServerState = statement<ServerState>(`
  SELECT pg_is_in_recovery() AS "isStandby",
    current_setting('fsync', true) AS fsync,
    current_setting('full_page_writes', true) AS full_page_writes,
    current_setting('synchronous_commit') AS "synchronousCommit",
    current_setting('server_encoding') AS encoding,
    "isDirect",
    CASE WHEN "isDirect" THEN set_config('statement_timeout', $2, false)
      ELSE current_setting('statement_timeout') END AS "statementTimeout",
    CASE WHEN "isDirect" THEN set_config('client_min_messages', 'notice', false) END AS messages,
    CASE WHEN "isDirect" THEN set_config('search_path', 'pg_catalog', false) END AS path,
    CASE WHEN "isDirect"
      THEN set_config('idle_in_transaction_session_timeout', '${idleInTransactionMillisecondsMax}', false) END AS "idleTimeout",
    pg_catalog.quote_ident(current_user) AS role,
    to_regclass('animal_store.meta') IS NOT NULL AS "hasTables",
    ${tableOids} AS tables
  FROM (SELECT pg_backend_pid() = $1::bigint AS "isDirect") AS backend`);
