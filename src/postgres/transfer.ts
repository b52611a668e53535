import type { Client } from 'pg';
import { DatabaseUnusable } from '../domain/database.ts';
import {
  type AppendedTable,
  lowestKeys,
  type TransferKey,
  type TransferRow,
  type TransferSnapshot,
  type TransferSource,
  type TransferTable,
  type TransferTarget,
} from '../domain/transfer.ts';
import { type Connections, createConnections } from './connection.ts';
import { sqlState, translateError } from './errors.ts';
import { parseLocation } from './location.ts';
import { noStoreLine, prepareTables } from './prepare-tables.ts';
import { type Statement, statement } from './statement.ts';
import { runTransaction } from './transaction.ts';

/** While rows are read, those before them are written, perhaps to a slow disk. */
const idleInSnapshotMillisecondsMax = 60_000;

/** Which advisory lock is a copy's ("ANSU"). */
export const copyLockId = 0x414e5355;

/** As long as the last statement of a copy that was killed may still run. */
const lockMillisecondsMax = 2500;

/**
 * Opens a PostgreSQL database to be copied from.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openPostgresSource(url: string): Promise<TransferSource> {
  await using opening = new AsyncDisposableStack();
  // A server that may forget what is written to it can be read as well as any other.
  const connections = opening.use(connect(url, true));
  await prepareTables(connections, { refusalIfMissing: `${noStoreLine} to copy from` });
  const open = opening.move();
  return {
    openSnapshot: () => openSnapshot(connections),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/**
 * Opens a PostgreSQL database to be copied to, and makes its tables when missing.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator.
 */
export async function openPostgresTarget(
  url: string,
  allowDataLoss: boolean,
): Promise<TransferTarget> {
  await using opening = new AsyncDisposableStack();
  const connections = opening.use(connect(url, allowDataLoss));
  await prepareTables(connections, { unfinishedCopy: 'taken' });
  const client = await connections.connect();
  opening.defer(() => client.end());
  await lock(client);
  const open = opening.move();
  return {
    openSnapshot: () => openSnapshot(connections),
    ...createWrites(client),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function connect(url: string, allowDataLoss: boolean): Connections {
  return createConnections({ location: parseLocation(url), connectionsMax: 1, allowDataLoss });
}

/**
 * Lets one copy at a time write. All of its writes go over the connection that holds the lock: where it is free, the
 * last write of a copy that was killed is over too.
 */
async function lock(client: Client): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL lock_timeout = ${lockMillisecondsMax}`);
    await client.query(`SET LOCAL statement_timeout = ${lockMillisecondsMax + 1000}`);
    const take = {
      text: `SELECT pg_advisory_lock(${copyLockId})`,
      query_timeout: lockMillisecondsMax + 2000,
    };
    await client.query(take);
    await client.query('COMMIT');
  } catch (error) {
    if (sqlState(error) !== '55P03') throw translateError(error);
    throw new DatabaseUnusable('Another copy to this database is running', { cause: error });
  }
}

/** The next rows above a key, by table. */
const selectRows = {
  store: statement(`
    SELECT id::bigint, environment, next_workspace_id, next_api_key_id, audit_count, audit_digest
    FROM store WHERE id > $1::bigint ORDER BY id LIMIT $2`),
  workspaces: statement(`
    SELECT id, name, next_pet_id, revision, created_at
    FROM workspaces WHERE id > $1 ORDER BY id LIMIT $2`),
  api_keys: statement(`
    SELECT id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at,
      last_used_at, is_revoked
    FROM api_keys WHERE id > $1 ORDER BY id LIMIT $2`),
  audit_entries: statement(`
    SELECT id, at, actor, event, details, digest
    FROM audit_entries WHERE id > $1 ORDER BY id LIMIT $2`),
  deprecated_calls: statement(`
    SELECT api_key_id, operation_id, call_count, last_called_at
    FROM deprecated_calls WHERE (api_key_id, operation_id) > ($1, $2)
    ORDER BY api_key_id, operation_id LIMIT $3`),
  once_keys: statement(`
    SELECT workspace_id, operation_id, key, request_digest, output, expires_at
    FROM once_keys WHERE (workspace_id, operation_id, key) > ($1, $2, $3)
    ORDER BY workspace_id, operation_id, key LIMIT $4`),
  pets: statement(`
    SELECT workspace_id, id, name, category_id, status
    FROM pets WHERE (workspace_id, id) > ($1, $2)
    ORDER BY workspace_id, id LIMIT $3`),
} satisfies Record<TransferTable, Statement>;

async function openSnapshot(connections: Connections): Promise<TransferSnapshot> {
  const client = await connections.connect();
  try {
    // What the first read sees is what all others see.
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(
      `SET LOCAL idle_in_transaction_session_timeout = ${idleInSnapshotMillisecondsMax}`,
    );
  } catch (error) {
    client.end().catch(() => {});
    throw translateError(error);
  }
  return {
    async readRows(table, above, rowsMax) {
      const values = [...above, rowsMax];
      const { name, text } = selectRows[table];
      return translated(async () => {
        const { rows } = await client.query<[...TransferRow]>({
          name,
          text,
          values,
          rowMode: 'array',
        });
        return rows;
      });
    },
    async [Symbol.asyncDispose]() {
      await client.end();
    },
  };
}

const selectMark = statement<{ mark: string | null }>(
  'SELECT unfinished_copy_of AS mark FROM store',
);

// A server that claims the store at this moment does so before or after, and is seen or refused.
const holdStore = statement('SELECT 1 FROM store FOR UPDATE');

const selectIsNew = statement(`
  SELECT 1 FROM store
  WHERE environment IS NULL AND unfinished_copy_of IS NULL AND next_workspace_id = 2 AND next_api_key_id = 1
    AND NOT EXISTS (SELECT 1 FROM workspaces WHERE next_pet_id > 1 OR revision > 0)
    AND audit_count = 0
    AND NOT EXISTS (SELECT 1 FROM api_keys)
    AND NOT EXISTS (SELECT 1 FROM deprecated_calls)
    AND NOT EXISTS (SELECT 1 FROM once_keys)
    AND NOT EXISTS (SELECT 1 FROM pets)`);

const deleteWorkspaces = statement('DELETE FROM workspaces');

const updateStore = statement(`
  UPDATE store SET unfinished_copy_of = $1, environment = $2, next_workspace_id = $3, next_api_key_id = $4,
    audit_count = $5, audit_digest = $6`);

const clearMark = statement('UPDATE store SET unfinished_copy_of = NULL');

const selectLastKey = {
  workspaces: statement('SELECT id FROM workspaces ORDER BY id DESC LIMIT 1'),
  api_keys: statement('SELECT id FROM api_keys ORDER BY id DESC LIMIT 1'),
  audit_entries: statement('SELECT id FROM audit_entries ORDER BY id DESC LIMIT 1'),
  deprecated_calls: statement(`
    SELECT api_key_id, operation_id FROM deprecated_calls
    ORDER BY api_key_id DESC, operation_id DESC LIMIT 1`),
  once_keys: statement(`
    SELECT workspace_id, operation_id, key FROM once_keys
    ORDER BY workspace_id DESC, operation_id DESC, key DESC LIMIT 1`),
  pets: statement('SELECT workspace_id, id FROM pets ORDER BY workspace_id DESC, id DESC LIMIT 1'),
} satisfies Record<AppendedTable, Statement>;

/** Each takes a column of all rows as an array. */
const insertRows = {
  workspaces: statement(`
    INSERT INTO workspaces (id, name, next_pet_id, revision, created_at)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])`),
  api_keys: statement(`
    INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at,
      revoked_at, last_used_at, is_revoked)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[])`),
  audit_entries: statement(`
    INSERT INTO audit_entries (id, at, actor, event, details, digest)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])`),
  deprecated_calls: statement(`
    INSERT INTO deprecated_calls (api_key_id, operation_id, call_count, last_called_at)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[])`),
  once_keys: statement(`
    INSERT INTO once_keys (workspace_id, operation_id, key, request_digest, output, expires_at)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])`),
  pets: statement(`
    INSERT INTO pets (workspace_id, id, name, category_id, status)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[])`),
} satisfies Record<AppendedTable, Statement>;

function createWrites(client: Client) {
  return {
    readMark: () =>
      translated(async () => {
        const { rows } = await client.query<{ mark: string | null }>({ ...selectMark });
        return rows[0]?.mark ?? undefined;
      }),
    begin: (mark: string, [, ...storeValues]: TransferRow) =>
      translated(() =>
        runTransaction(client, async (session) => {
          await session.run(holdStore);
          if ((await session.run(selectIsNew)).count === 0) return false;
          await session.run(deleteWorkspaces);
          await session.run(updateStore, [mark, ...storeValues]);
          return true;
        }),
      ),
    readLastKey: (table: AppendedTable) =>
      translated(async (): Promise<TransferKey> => {
        const { name, text } = selectLastKey[table];
        const { rows } = await client.query<[...TransferKey]>({ name, text, rowMode: 'array' });
        return rows[0] ?? lowestKeys[table];
      }),
    append: (table: AppendedTable, rows: readonly TransferRow[]) =>
      translated(async () => {
        const columns = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column]));
        await runTransaction(client, (session) => session.run(insertRows[table], columns));
      }),
    finish: () =>
      translated(async () => {
        await runTransaction(client, (session) => session.run(clearMark));
      }),
  };
}

async function translated<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw translateError(error);
  }
}
