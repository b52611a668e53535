import {
  type AppendedTable,
  lowestKeys,
  type TransferKey,
  type TransferRow,
  type TransferSnapshot,
  type TransferSource,
  type TransferTable,
  type TransferTarget,
  type TransferValue,
} from '../domain/transfer.ts';
import {
  type Connection,
  openReaderConnection,
  openWritableConnection,
  openWriterConnection,
  translateError,
} from './connection.ts';
import { findFile, makeFile, migrateFile } from './file.ts';
import { lockFile } from './lock.ts';

/**
 * Opens a SQLite file to be copied from; nobody else has it meanwhile.
 * @throws DatabaseUnusable with one line for the operator, when there is none or it cannot be used as it is.
 */
export async function openSqliteSource(path: string): Promise<TransferSource> {
  using opening = new DisposableStack();
  const realPath = findFile(path);
  opening.use(lockFile(realPath, 'copy or restore'));
  migrateFile(realPath);
  // The last to close folds the write-ahead log back into the file, which a reader cannot. A connection that has read
  // nothing does not count.
  const connection = openWritableConnection(realPath);
  opening.defer(() => connection.close());
  connection.query(selectMark).get();
  const open = opening.move();
  return {
    openSnapshot: async () => openSnapshot(realPath),
    [Symbol.asyncDispose]: async () => open.dispose(),
  };
}

/**
 * Opens a SQLite file to be copied to, and makes it when missing; nobody else has it meanwhile.
 * @throws DatabaseUnusable with one line for the operator.
 */
export async function openSqliteTarget(path: string): Promise<TransferTarget> {
  using opening = new DisposableStack();
  const { path: realPath } = makeFile(path);
  opening.use(lockFile(realPath, 'copy or restore'));
  migrateFile(realPath, { unfinishedCopy: 'taken' });
  const connection = openWriterConnection(realPath);
  opening.defer(() => connection.close());
  const open = opening.move();
  return {
    openSnapshot: async () => openSnapshot(realPath),
    ...prepareWrites(connection),
    [Symbol.asyncDispose]: async () => open.dispose(),
  };
}

/** The next rows above a key, by table. */
const selectRows = {
  store: `
    SELECT id, environment,
      1 + (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'workspaces'),
      1 + (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'api_keys'),
      audit_count, audit_digest
    FROM store WHERE id > ?1 ORDER BY id LIMIT ?2`,
  workspaces: `
    SELECT id, name, next_pet_id, revision, created_at
    FROM workspaces WHERE id > ?1 ORDER BY id LIMIT ?2`,
  api_keys: `
    SELECT id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at, revoked_at,
      last_used_at, is_revoked
    FROM api_keys WHERE id > ?1 ORDER BY id LIMIT ?2`,
  audit_entries: `
    SELECT id, at, actor, event, details, digest
    FROM audit_entries WHERE id > ?1 ORDER BY id LIMIT ?2`,
  deprecated_calls: `
    SELECT api_key_id, operation_id, call_count, last_called_at
    FROM deprecated_calls WHERE (api_key_id, operation_id) > (?1, ?2)
    ORDER BY api_key_id, operation_id LIMIT ?3`,
  once_keys: `
    SELECT workspace_id, operation_id, key, request_digest, output, expires_at
    FROM once_keys WHERE (workspace_id, operation_id, key) > (?1, ?2, ?3)
    ORDER BY workspace_id, operation_id, key LIMIT ?4`,
  pets: `
    SELECT workspace_id, id, name, category_id, status
    FROM pets WHERE (workspace_id, id) > (?1, ?2)
    ORDER BY workspace_id, id LIMIT ?3`,
} satisfies Record<TransferTable, string>;

type Values = TransferValue[];

function openSnapshot(path: string): TransferSnapshot {
  const connection = openReaderConnection(path);
  // What the first read sees is what all others see.
  connection.run('BEGIN');
  return {
    async readRows(table, above, rowsMax) {
      // Reads are ready at once; without a pause, a signal would wait for the last of them.
      await new Promise(setImmediate);
      return translated(() =>
        connection
          .query<unknown, (TransferValue | number)[]>(selectRows[table])
          .values(...above, rowsMax),
      ) as TransferRow[];
    },
    async [Symbol.asyncDispose]() {
      connection.close();
    },
  };
}

const selectMark = 'SELECT unfinished_copy_of FROM store';

const selectIsNew = `
  SELECT 1 FROM store
  WHERE environment IS NULL AND unfinished_copy_of IS NULL
    AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'workspaces' AND seq > 1)
    AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'api_keys' AND seq > 0)
    AND NOT EXISTS (SELECT 1 FROM workspaces WHERE next_pet_id > 1 OR revision > 0)
    AND audit_count = 0
    AND NOT EXISTS (SELECT 1 FROM api_keys)
    AND NOT EXISTS (SELECT 1 FROM deprecated_calls)
    AND NOT EXISTS (SELECT 1 FROM once_keys)
    AND NOT EXISTS (SELECT 1 FROM pets)`;

const deleteWorkspaces = 'DELETE FROM workspaces';

const updateStore = `
  UPDATE store SET unfinished_copy_of = ?1, environment = ?2, audit_count = ?3, audit_digest = ?4`;

// AUTOINCREMENT counts on from here, and from the highest id in its table where that is higher.
const deleteCounters = `DELETE FROM sqlite_sequence WHERE name IN ('workspaces', 'api_keys')`;

const insertCounters = `
  INSERT INTO sqlite_sequence (name, seq) VALUES ('workspaces', ?1 - 1), ('api_keys', ?2 - 1)`;

const clearMark = 'UPDATE store SET unfinished_copy_of = NULL';

const selectLastKey = {
  workspaces: 'SELECT id FROM workspaces ORDER BY id DESC LIMIT 1',
  api_keys: 'SELECT id FROM api_keys ORDER BY id DESC LIMIT 1',
  audit_entries: 'SELECT id FROM audit_entries ORDER BY id DESC LIMIT 1',
  deprecated_calls: `
    SELECT api_key_id, operation_id FROM deprecated_calls
    ORDER BY api_key_id DESC, operation_id DESC LIMIT 1`,
  once_keys: `
    SELECT workspace_id, operation_id, key FROM once_keys
    ORDER BY workspace_id DESC, operation_id DESC, key DESC LIMIT 1`,
  pets: 'SELECT workspace_id, id FROM pets ORDER BY workspace_id DESC, id DESC LIMIT 1',
} satisfies Record<AppendedTable, string>;

const insertRow = {
  workspaces: `
    INSERT INTO workspaces (id, name, next_pet_id, revision, created_at) VALUES (?1, ?2, ?3, ?4, ?5)`,
  api_keys: `
    INSERT INTO api_keys (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at,
      revoked_at, last_used_at, is_revoked)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`,
  audit_entries: `
    INSERT INTO audit_entries (id, at, actor, event, details, digest) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  deprecated_calls: `
    INSERT INTO deprecated_calls (api_key_id, operation_id, call_count, last_called_at)
    VALUES (?1, ?2, ?3, ?4)`,
  once_keys: `
    INSERT INTO once_keys (workspace_id, operation_id, key, request_digest, output, expires_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  pets: `
    INSERT INTO pets (workspace_id, id, name, category_id, status) VALUES (?1, ?2, ?3, ?4, ?5)`,
} satisfies Record<AppendedTable, string>;

function prepareWrites(connection: Connection) {
  /** Runs statements in one transaction, which is on disk when this returns. */
  function transact<Result>(run: () => Result): Result {
    return translated(connection.transaction(run).immediate);
  }

  return {
    async readMark() {
      const row = translated(() =>
        connection.query<{ unfinished_copy_of: string | null }, []>(selectMark).get(),
      );
      return row?.unfinished_copy_of ?? undefined;
    },
    async begin(mark: string, [, environment = null, ...rest]: TransferRow) {
      const [counters, auditHead] = [rest.slice(0, 2), rest.slice(2)];
      return transact(() => {
        if (connection.query(selectIsNew).get() === null) return false;
        connection.query(deleteWorkspaces).run();
        connection.query<unknown, Values>(updateStore).run(mark, environment, ...auditHead);
        connection.query(deleteCounters).run();
        connection.query<unknown, Values>(insertCounters).run(...counters);
        return true;
      });
    },
    async readLastKey(table: AppendedTable): Promise<TransferKey> {
      const [key] = translated(() => connection.query(selectLastKey[table]).values());
      return (key as TransferKey | undefined) ?? lowestKeys[table];
    },
    async append(table: AppendedTable, rows: readonly TransferRow[]) {
      const insert = connection.query<unknown, Values>(insertRow[table]);
      transact(() => {
        for (const row of rows) insert.run(...row);
      });
    },
    async finish() {
      transact(() => connection.query(clearMark).run());
    },
  };
}

function translated<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw translateError(error);
  }
}
