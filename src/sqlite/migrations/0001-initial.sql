-- One row. The environment is that of the first run, and never changes. unfinished_copy_of is set from the first to
-- the last row of a copy to here: such a store is not opened for anything else.
CREATE TABLE store (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  environment TEXT CHECK (environment IN ('production', 'staging')),
  unfinished_copy_of TEXT
) STRICT;

INSERT INTO store (id) VALUES (1);

-- next_pet_id only ever rises, in the same transaction that uses it: no id is handed out twice,
-- not even when the newest animal is gone. revision rises with every change of the workspace's animals.
CREATE TABLE workspaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  next_pet_id INTEGER NOT NULL DEFAULT 1,
  revision INTEGER NOT NULL DEFAULT 0,
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
-- last two columns each of its animals would be looked up by itself, in ever more places as the store grows.
CREATE INDEX pets_by_status ON pets (workspace_id, status, id, name, category_id);

-- Requests that were answered, so that the same request is answered again and not done again. The row is
-- written in the transaction of what it answers.
CREATE TABLE once_keys (
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  operation_id TEXT NOT NULL,
  key TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  output TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, operation_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX once_keys_by_expiry ON once_keys (expires_at);

-- digest is the SHA-256 of the key; the key itself is nowhere. Times are milliseconds since 1970.
CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
  name TEXT NOT NULL,
  digest TEXT NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  scopes TEXT NOT NULL,
  rate_limit TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;

CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id);

-- Who still calls what is going away. api_key_id 0 is the key that the operator gave in the environment.
CREATE TABLE deprecated_calls (
  api_key_id INTEGER NOT NULL,
  operation_id TEXT NOT NULL,
  call_count INTEGER NOT NULL,
  last_called_at INTEGER NOT NULL,
  PRIMARY KEY (api_key_id, operation_id)
) STRICT, WITHOUT ROWID;

INSERT INTO workspaces (name, created_at) VALUES ('default', unixepoch() * 1000);
