-- Webhooks: endpoints that receive events, and their deliveries.
--
-- A server of version 1.0.0 on the same database may delete a workspace and leave its rows here, so there are no foreign keys.

ALTER TABLE workspaces ADD COLUMN next_webhook_id INTEGER NOT NULL DEFAULT 1;
ALTER TABLE workspaces ADD COLUMN next_delivery_id INTEGER NOT NULL DEFAULT 1;

-- types are separated by spaces, and NULL for all. The secrets are readable, because signatures are made with them. Events up to
-- position are done or have retries. revision rises with each change by a client, so that results of earlier deliveries are
-- rejected. digest is the digest of what clients set.
--
-- The columns from status on belong to this database alone. A copy has their defaults, because two databases must not deliver the
-- same events. Without read_to, it is position. The server lease_holder delivers until lease_until by the clock of the database. A
-- lease that has ended keeps its time, so that the webhook that waits longest is next.
CREATE TABLE webhooks (
  workspace_id INTEGER NOT NULL,
  id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  url TEXT NOT NULL,
  types TEXT,
  description TEXT,
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_secret_expires_at INTEGER,
  position INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  digest TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'paused' CHECK (status IN ('enabled', 'failing', 'paused', 'disabled')),
  read_to INTEGER,
  failure_count INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  retry_step INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  lease_holder TEXT,
  lease_until INTEGER,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

-- Events that failed, with the number of attempts and the time of the next one.
CREATE TABLE webhook_retries (
  workspace_id INTEGER NOT NULL,
  webhook_id INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, webhook_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_retries_by_time ON webhook_retries (workspace_id, webhook_id, next_attempt_at);

-- Attempts that have ended. error is why no response arrived. Those of a deleted webhook are deleted when they are old.
CREATE TABLE webhook_deliveries (
  workspace_id INTEGER NOT NULL,
  webhook_id INTEGER NOT NULL,
  id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  event_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  http_status INTEGER,
  error TEXT,
  milliseconds INTEGER NOT NULL,
  response_excerpt TEXT,
  PRIMARY KEY (workspace_id, webhook_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (at);
