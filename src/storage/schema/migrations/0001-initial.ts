import type { Migration } from '../migration.ts';

// Every table that grows starts with the workspace, so that an engine which shards can spread them by it. No sequences
// of the database's own: PostgreSQL's are not part of a transaction, and may go back at a failover, which would hand an id
// out twice. Times are milliseconds since 1970. Texts of a key are in the order of their bytes.

export const initial: Migration = {
  writerVersion: 1,
  sqlite: `
    -- One row. The environment is that of the first run, and never changes. unfinished_copy_of is set from the first to
    -- the last row of a copy to here: such data is not opened for anything else. schema_digest is that of this text, and
    -- marks the data of the released schemas. Programs of a lower writer version do not write. audit_count and
    -- audit_digest are those of the last entry of the audit trail.
    CREATE TABLE meta (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      schema_version INTEGER NOT NULL,
      schema_digest TEXT NOT NULL,
      writer_version INTEGER NOT NULL,
      unfinished_copy_of TEXT,
      environment TEXT CHECK (environment IN ('production', 'staging')),
      next_workspace_id INTEGER NOT NULL,
      next_api_key_id INTEGER NOT NULL,
      audit_count INTEGER NOT NULL,
      audit_digest TEXT NOT NULL
    ) STRICT;

    -- The counters only rise, in the transaction that uses them, so that no id is assigned twice, even after the newest
    -- record is deleted. version changes with every change of the workspace's records. The counts are those of its
    -- animals by status, changed in the transaction that changes an animal.
    CREATE TABLE workspaces (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      version INTEGER NOT NULL,
      next_pet_id INTEGER NOT NULL DEFAULT 1,
      next_category_id INTEGER NOT NULL DEFAULT 1,
      next_order_id INTEGER NOT NULL DEFAULT 1,
      next_event_sequence INTEGER NOT NULL DEFAULT 1,
      available_count INTEGER NOT NULL DEFAULT 0,
      pending_count INTEGER NOT NULL DEFAULT 0,
      sold_count INTEGER NOT NULL DEFAULT 0,
      created_at INTEGER NOT NULL
    ) STRICT;

    -- The primary key is the order of a page: a page is one descent of the tree and a run of neighbours.
    CREATE TABLE pets (
      workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
      id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
      name TEXT NOT NULL,
      category_id INTEGER NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
      PRIMARY KEY (workspace_id, id)
    ) STRICT, WITHOUT ROWID;

    -- In the order of a filtered page, and with all that it shows: such a page too is a run of neighbours. Without the
    -- last two columns each of its animals would be looked up by itself, in ever more places as the data grows.
    CREATE INDEX pets_by_status ON pets (workspace_id, status, id, name, category_id);

    -- In the order of a page by category and status. A page by category alone merges the runs of its statuses, so that no
    -- second index is needed.
    CREATE INDEX pets_by_category ON pets (workspace_id, category_id, status, id, name);

    -- Ids are assigned, or chosen by clients: then any, also above the counter. digest is that of the row, because the
    -- texts are in no index with which they could be compared.
    CREATE TABLE categories (
      workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
      id INTEGER NOT NULL,
      name TEXT NOT NULL,
      description TEXT,
      digest TEXT NOT NULL,
      PRIMARY KEY (workspace_id, id)
    ) STRICT, WITHOUT ROWID;

    -- The animal of an order that has ended may have been deleted.
    CREATE TABLE orders (
      workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
      id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
      pet_id INTEGER NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('pending', 'shipped', 'cancelled')),
      ship_date INTEGER,
      PRIMARY KEY (workspace_id, id)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX orders_by_status ON orders (workspace_id, status, id, pet_id, ship_date);
    CREATE INDEX orders_by_pet ON orders (workspace_id, pet_id, status, id, ship_date);

    -- In addition to the check of each order: no animal has two open orders.
    CREATE UNIQUE INDEX open_orders ON orders (workspace_id, pet_id) WHERE status = 'pending';

    -- The text of each event is what is sent.
    CREATE TABLE events (
      workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
      sequence INTEGER NOT NULL CHECK (sequence BETWEEN 1 AND 9007199254740991),
      type TEXT NOT NULL,
      at INTEGER NOT NULL,
      json TEXT NOT NULL,
      PRIMARY KEY (workspace_id, sequence)
    ) STRICT, WITHOUT ROWID;

    -- What commands gave that were done under a key. The row is written in the transaction of the command.
    CREATE TABLE idempotency_keys (
      workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
      operation_id TEXT NOT NULL,
      key TEXT NOT NULL,
      request_digest TEXT NOT NULL,
      ok TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (workspace_id, operation_id, key)
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

    -- digest is the SHA-256 of the key; the key itself is nowhere. is_revoked is 1 where it is refused whatever the
    -- clock says; where it is 0, revoked_at is the end of an overlap.
    CREATE TABLE api_keys (
      id INTEGER PRIMARY KEY,
      workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
      name TEXT NOT NULL,
      digest TEXT NOT NULL UNIQUE,
      last_four TEXT NOT NULL,
      scopes TEXT NOT NULL,
      rate_limit TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      revoked_at INTEGER,
      is_revoked INTEGER NOT NULL CHECK (is_revoked IN (0, 1)),
      last_used_at INTEGER
    ) STRICT;

    CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id);

    -- Who still calls what is going away. api_key_id 0 is the key that the operator gave in the environment.
    CREATE TABLE deprecated_calls (
      workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
      api_key_id INTEGER NOT NULL,
      operation_id TEXT NOT NULL,
      call_count INTEGER NOT NULL,
      last_called_at INTEGER NOT NULL,
      PRIMARY KEY (workspace_id, api_key_id, operation_id)
    ) STRICT, WITHOUT ROWID;

    -- Who changed who may do what, and what happened to the data. Each entry bears a digest of itself and of the one
    -- before.
    CREATE TABLE audit_entries (
      id INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      actor TEXT NOT NULL,
      event TEXT NOT NULL,
      details TEXT NOT NULL,
      digest TEXT NOT NULL
    ) STRICT;

    CREATE TRIGGER audit_entries_are_not_changed BEFORE UPDATE ON audit_entries
    BEGIN SELECT raise(ABORT, 'the audit trail is only added to'); END;

    CREATE TRIGGER audit_entries_are_not_deleted BEFORE DELETE ON audit_entries
    BEGIN SELECT raise(ABORT, 'the audit trail is only added to'); END;

    -- The sessions and the sign-in links of the console. digest is the SHA-256 of a random token, which is not stored. A
    -- link signs in once. api_key_digest is that of the key that signed in, and missing for an owner. last_active_at is the
    -- time of the last action in a session, and of a link's creation.
    CREATE TABLE console_tokens (
      digest TEXT NOT NULL PRIMARY KEY,
      is_link INTEGER NOT NULL CHECK (is_link IN (0, 1)),
      workspace_id INTEGER NOT NULL,
      api_key_digest TEXT,
      created_at INTEGER NOT NULL,
      last_active_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX console_tokens_by_expiry ON console_tokens (expires_at);

    INSERT INTO meta (id, schema_version, schema_digest, writer_version, next_workspace_id, next_api_key_id, audit_count, audit_digest)
    VALUES (1, 0, '', 1, 2, 1, 0, '');

    INSERT INTO workspaces (id, name, version, created_at)
    VALUES (1, 'default', 0, CAST(unixepoch('subsec') * 1000 AS INTEGER));`,
  postgres: `
    -- See the comments of the other dialect. system_identifier and table_oids tell which tables the row is about: dumped and
    -- restored, they are others.
    CREATE TABLE meta (
      id bigint PRIMARY KEY CHECK (id = 1),
      schema_version bigint NOT NULL,
      schema_digest text NOT NULL,
      writer_version bigint NOT NULL,
      system_identifier text,
      table_oids text,
      unfinished_copy_of text,
      environment text CHECK (environment IN ('production', 'staging')),
      next_workspace_id bigint NOT NULL,
      next_api_key_id bigint NOT NULL,
      audit_count bigint NOT NULL,
      audit_digest text NOT NULL
    );

    CREATE TABLE workspaces (
      id bigint PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE,
      version bigint NOT NULL,
      next_pet_id bigint NOT NULL DEFAULT 1,
      next_category_id bigint NOT NULL DEFAULT 1,
      next_order_id bigint NOT NULL DEFAULT 1,
      next_event_sequence bigint NOT NULL DEFAULT 1,
      available_count bigint NOT NULL DEFAULT 0,
      pending_count bigint NOT NULL DEFAULT 0,
      sold_count bigint NOT NULL DEFAULT 0,
      created_at bigint NOT NULL
    );

    -- No foreign key: whoever writes here holds the row of the workspace in the same transaction, which says the same and
    -- spares a look at it for every animal.
    CREATE TABLE pets (
      workspace_id bigint NOT NULL,
      id bigint NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
      name text NOT NULL,
      category_id bigint NOT NULL,
      status text NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
      PRIMARY KEY (workspace_id, id)
    );

    CREATE INDEX pets_by_status ON pets (workspace_id, status, id);
    CREATE INDEX pets_by_category ON pets (workspace_id, category_id, status, id);

    CREATE TABLE categories (
      workspace_id bigint NOT NULL,
      id bigint NOT NULL,
      name text NOT NULL,
      description text,
      digest text NOT NULL,
      PRIMARY KEY (workspace_id, id)
    );

    CREATE TABLE orders (
      workspace_id bigint NOT NULL,
      id bigint NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
      pet_id bigint NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'shipped', 'cancelled')),
      ship_date bigint,
      PRIMARY KEY (workspace_id, id)
    );

    CREATE INDEX orders_by_status ON orders (workspace_id, status, id);
    CREATE INDEX orders_by_pet ON orders (workspace_id, pet_id, status, id);
    CREATE UNIQUE INDEX open_orders ON orders (workspace_id, pet_id) WHERE status = 'pending';

    CREATE TABLE events (
      workspace_id bigint NOT NULL,
      sequence bigint NOT NULL CHECK (sequence BETWEEN 1 AND 9007199254740991),
      type text NOT NULL,
      at bigint NOT NULL,
      json text NOT NULL,
      PRIMARY KEY (workspace_id, sequence)
    );

    CREATE TABLE idempotency_keys (
      workspace_id bigint NOT NULL,
      operation_id text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      request_digest text NOT NULL,
      ok text NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (workspace_id, operation_id, key)
    );

    CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

    CREATE TABLE api_keys (
      id bigint PRIMARY KEY,
      workspace_id bigint NOT NULL,
      name text NOT NULL,
      digest text NOT NULL UNIQUE,
      last_four text NOT NULL,
      scopes text NOT NULL,
      rate_limit text,
      created_at bigint NOT NULL,
      expires_at bigint,
      revoked_at bigint,
      is_revoked bigint NOT NULL CHECK (is_revoked IN (0, 1)),
      last_used_at bigint
    );

    CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id);

    CREATE TABLE deprecated_calls (
      workspace_id bigint NOT NULL,
      api_key_id bigint NOT NULL,
      operation_id text COLLATE "C" NOT NULL,
      call_count bigint NOT NULL,
      last_called_at bigint NOT NULL,
      PRIMARY KEY (workspace_id, api_key_id, operation_id)
    );

    CREATE TABLE audit_entries (
      id bigint PRIMARY KEY,
      at bigint NOT NULL,
      actor text NOT NULL,
      event text NOT NULL,
      details text NOT NULL,
      digest text NOT NULL
    );

    CREATE FUNCTION refuse_change_of_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the audit trail is only added to';
    END
    $$;

    CREATE TRIGGER audit_entries_are_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
    EXECUTE FUNCTION refuse_change_of_audit_entries();

    CREATE TABLE console_tokens (
      digest text COLLATE "C" PRIMARY KEY,
      is_link bigint NOT NULL CHECK (is_link IN (0, 1)),
      workspace_id bigint NOT NULL,
      api_key_digest text,
      created_at bigint NOT NULL,
      last_active_at bigint NOT NULL,
      expires_at bigint NOT NULL
    );

    CREATE INDEX console_tokens_by_expiry ON console_tokens (expires_at);

    INSERT INTO meta (id, schema_version, schema_digest, writer_version, next_workspace_id, next_api_key_id, audit_count, audit_digest)
    VALUES (1, 0, '', 1, 2, 1, 0, '');

    INSERT INTO workspaces (id, name, version, created_at)
    VALUES (1, 'default', 0, (extract(epoch FROM now()) * 1000)::bigint);`,
};
