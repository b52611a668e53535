-- The schema of 1.0.0. It never changes: changes are further migrations.

-- The comments on the tables are in initial-sqlite.sql. system_identifier and table_oids identify the tables. Tables that
-- are restored from a dump have others.
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

-- No foreign key: a transaction that writes here has locked the row of the workspace, which ensures the same and saves
-- a check for every animal.
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
  note text,
  digest text,
  PRIMARY KEY (workspace_id, id)
);

CREATE INDEX orders_by_status ON orders (workspace_id, status, id);
CREATE INDEX orders_by_pet ON orders (workspace_id, pet_id, status, id);
CREATE UNIQUE INDEX open_orders ON orders (workspace_id, pet_id) WHERE status = 'pending';

CREATE TABLE events (
  workspace_id bigint NOT NULL,
  sequence bigint NOT NULL CHECK (sequence BETWEEN 1 AND 9007199254740991),
  type text COLLATE "C" NOT NULL,
  record_id bigint NOT NULL,
  at bigint NOT NULL,
  json text NOT NULL,
  PRIMARY KEY (workspace_id, sequence)
);

CREATE INDEX events_by_record ON events (workspace_id, record_id, type, sequence);

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
  expires_at bigint NOT NULL,
  address text
);

CREATE INDEX console_tokens_by_expiry ON console_tokens (expires_at);
CREATE INDEX console_tokens_by_api_key ON console_tokens (api_key_digest, created_at, digest);
CREATE INDEX console_tokens_by_workspace ON console_tokens (workspace_id, created_at, digest);

INSERT INTO meta (id, schema_version, schema_digest, writer_version, next_workspace_id, next_api_key_id, audit_count, audit_digest)
VALUES (1, 0, '', 1, 2, 1, 0, '');

INSERT INTO workspaces (id, name, version, created_at)
VALUES (1, 'default', 0, (extract(epoch FROM now()) * 1000)::bigint);
