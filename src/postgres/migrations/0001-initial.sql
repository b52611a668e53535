-- Every table that grows starts with the workspace, so that an engine which shards can spread them by it. No sequences:
-- they are not part of a transaction, and may go back at a failover, which would hand an id out twice.

-- One row. The environment is that of the first run, and never changes. unfinished_copy_of is set from the first to
-- the last row of a copy to here: such a store is not opened for anything else.
CREATE TABLE store (
  id integer PRIMARY KEY CHECK (id = 1),
  schema_version integer NOT NULL,
  environment text CHECK (environment IN ('production', 'staging')),
  unfinished_copy_of text,
  next_workspace_id bigint NOT NULL,
  next_api_key_id bigint NOT NULL
);

-- next_pet_id only ever rises, in the same transaction that uses it: no id is handed out twice,
-- not even when the newest animal is gone. revision rises with every change of the workspace's animals.
CREATE TABLE workspaces (
  id bigint PRIMARY KEY,
  name text NOT NULL UNIQUE,
  next_pet_id bigint NOT NULL DEFAULT 1,
  revision bigint NOT NULL DEFAULT 0,
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

-- In the order of a filtered page: such a page too is a run of neighbours.
CREATE INDEX pets_by_status ON pets (workspace_id, status, id);

-- Requests that were answered, so that the same request is answered again and not done again. The row is
-- written in the transaction of what it answers. Texts of a key are in the order of their bytes, whatever the database's
-- language, so that every engine has the same order.
CREATE TABLE once_keys (
  workspace_id bigint NOT NULL,
  operation_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  request_digest text NOT NULL,
  output text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (workspace_id, operation_id, key)
);

CREATE INDEX once_keys_by_expiry ON once_keys (expires_at);

-- digest is the SHA-256 of the key; the key itself is nowhere. Times are milliseconds since 1970.
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
  last_used_at bigint
);

CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id);

-- Who still calls what is going away. api_key_id 0 is the key that the operator gave in the environment.
CREATE TABLE deprecated_calls (
  api_key_id bigint NOT NULL,
  operation_id text COLLATE "C" NOT NULL,
  call_count bigint NOT NULL,
  last_called_at bigint NOT NULL,
  PRIMARY KEY (api_key_id, operation_id)
);

INSERT INTO store (id, schema_version, environment, next_workspace_id, next_api_key_id)
VALUES (1, 0, NULL, 2, 1);

INSERT INTO workspaces (id, name, created_at)
VALUES (1, 'default', (extract(epoch FROM now()) * 1000)::bigint);
