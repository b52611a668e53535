-- The schema of 1.0.0. It never changes: changes are further migrations. A line that ends with the name of an engine is of that engine
-- alone, and migrations.ts makes the rest of the script of PostgreSQL. There, nothing references workspaces: a transaction that writes
-- has locked the row of the workspace, which ensures the same and saves a check for every animal.
--
-- Every table that grows starts with the workspace, so that a sharding engine can distribute it by workspace. The tables use
-- no sequences of the database: those of PostgreSQL are not part of a transaction, and may return to an earlier value at a
-- failover, which would assign an id twice. Times are milliseconds since 1970. Texts of a key are in the order of their bytes.

-- One row. The first run sets the environment, and it never changes. unfinished_copy_of is set while a copy to this data
-- is incomplete: such data is not opened for anything else. schema_digest is the digest of this text, and identifies the
-- data of the released schemas. Programs of a lower writer version do not write. audit_count and audit_digest are those
-- of the last entry of the audit trail. system_identifier and table_oids identify the tables of PostgreSQL: those that are restored from a
-- dump have others.
CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  schema_version INTEGER NOT NULL,
  schema_digest TEXT NOT NULL,
  writer_version INTEGER NOT NULL,
  system_identifier TEXT, -- postgres
  table_oids TEXT, -- postgres
  unfinished_copy_of TEXT,
  environment TEXT CHECK (environment IN ('production', 'staging')),
  next_workspace_id INTEGER NOT NULL,
  next_api_key_id INTEGER NOT NULL,
  audit_count INTEGER NOT NULL,
  audit_digest TEXT NOT NULL
) STRICT;

-- The counters only rise, in the transaction that uses them, so that no id is assigned twice, even after the newest
-- record is deleted. version changes with every change of the workspace's records. The counts are the animals of each
-- status. The transaction that changes an animal changes them.
CREATE TABLE workspaces (
  id INTEGER PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
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

-- A page is read in the order of the primary key: one search of the tree, then adjacent entries.
CREATE TABLE pets (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- In the order of a page by status, and with all columns of it, so that the page is read from adjacent entries. Without
-- the last two columns, each animal would be a search of its own.
CREATE INDEX pets_by_status ON pets (workspace_id, status, id, name, category_id); -- sqlite
CREATE INDEX pets_by_status ON pets (workspace_id, status, id); -- postgres

-- In the order of a page by category and status. A page by category alone merges the entries of the statuses, and needs
-- no second index.
CREATE INDEX pets_by_category ON pets (workspace_id, category_id, status, id, name); -- sqlite
CREATE INDEX pets_by_category ON pets (workspace_id, category_id, status, id); -- postgres

-- Ids are assigned or chosen by clients. Chosen ids may be above the counter. digest is the digest of the row: no index
-- repeats the texts, so that a change of them would not be found.
CREATE TABLE categories (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  digest TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- The animal of a closed order may have been deleted. A note holds personal data, and is in no index, so that it is stored once.
-- digest is of the note, and NULL without one.
CREATE TABLE orders (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  pet_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'shipped', 'cancelled')),
  ship_date INTEGER,
  note TEXT,
  digest TEXT,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- The indexes repeat every column except the notes, so that a damaged value is found.
CREATE INDEX orders_by_status ON orders (workspace_id, status, id, pet_id, ship_date); -- sqlite
CREATE INDEX orders_by_status ON orders (workspace_id, status, id); -- postgres
CREATE INDEX orders_by_pet ON orders (workspace_id, pet_id, status, id, ship_date); -- sqlite
CREATE INDEX orders_by_pet ON orders (workspace_id, pet_id, status, id); -- postgres

-- No animal has two open orders.
CREATE UNIQUE INDEX open_orders ON orders (workspace_id, pet_id) WHERE status = 'pending';

-- json is the text that is sent. record_id is the id of the record in it, or 0 if the event is about the feed.
CREATE TABLE events (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  sequence INTEGER NOT NULL CHECK (sequence BETWEEN 1 AND 9007199254740991),
  type TEXT COLLATE "C" NOT NULL,
  record_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (workspace_id, sequence)
) STRICT, WITHOUT ROWID;

-- The types separate animals, orders and categories of the same id, and the events of each type of a record are adjacent.
CREATE INDEX events_by_record ON events (workspace_id, record_id, type, sequence);

-- The results of commands that ran under an Idempotency-Key. The transaction of the command writes the row.
CREATE TABLE idempotency_keys (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  operation_id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  request_digest TEXT NOT NULL,
  ok TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, operation_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

-- digest is the SHA-256 of the key. The key itself is not stored. A key with is_revoked = 1 is rejected at any time. With
-- is_revoked = 0, revoked_at is the end of an overlap.
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

CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id); -- sqlite
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id); -- postgres

-- Calls of deprecated operations. api_key_id 0 is the key in the environment of the server.
CREATE TABLE deprecated_calls (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  api_key_id INTEGER NOT NULL,
  operation_id TEXT COLLATE "C" NOT NULL,
  call_count INTEGER NOT NULL,
  last_called_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, api_key_id, operation_id)
) STRICT, WITHOUT ROWID;

-- Changes of access and of the data as a whole. Each entry has a digest of itself and of the entry before.
CREATE TABLE audit_entries (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  event TEXT NOT NULL,
  details TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_entries_are_not_changed BEFORE UPDATE ON audit_entries -- sqlite
BEGIN SELECT raise(ABORT, 'the audit trail is only added to'); END; -- sqlite

CREATE TRIGGER audit_entries_are_not_deleted BEFORE DELETE ON audit_entries -- sqlite
BEGIN SELECT raise(ABORT, 'the audit trail is only added to'); END; -- sqlite

CREATE FUNCTION refuse_change_of_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$ -- postgres
BEGIN -- postgres
  RAISE EXCEPTION 'the audit trail is only added to'; -- postgres
END -- postgres
$$; -- postgres

CREATE TRIGGER audit_entries_are_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries -- postgres
EXECUTE FUNCTION refuse_change_of_audit_entries(); -- postgres

-- The sessions and the sign-in links of the console. digest is the SHA-256 of a random token, which is not stored. A
-- link signs in once. api_key_digest is the digest of the key that signed in, and NULL for an owner. last_active_at is
-- the time of the last action in a session, or of a link's creation. address is that of the client at sign-in, if known.
CREATE TABLE console_tokens (
  digest TEXT NOT NULL PRIMARY KEY, -- sqlite
  digest TEXT COLLATE "C" PRIMARY KEY, -- postgres
  is_link INTEGER NOT NULL CHECK (is_link IN (0, 1)),
  workspace_id INTEGER NOT NULL,
  api_key_digest TEXT,
  created_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  address TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX console_tokens_by_expiry ON console_tokens (expires_at);
CREATE INDEX console_tokens_by_api_key ON console_tokens (api_key_digest, created_at, digest);
CREATE INDEX console_tokens_by_workspace ON console_tokens (workspace_id, created_at, digest);

INSERT INTO meta (id, schema_version, schema_digest, writer_version, next_workspace_id, next_api_key_id, audit_count, audit_digest)
VALUES (1, 0, '', 1, 2, 1, 0, '');

INSERT INTO workspaces (id, name, version, created_at)
VALUES (1, 'default', 0, CAST(unixepoch('subsec') * 1000 AS INTEGER)); -- sqlite
VALUES (1, 'default', 0, (extract(epoch FROM now()) * 1000)::bigint); -- postgres
