-- The comments on the tables are in webhooks-sqlite.sql.

ALTER TABLE workspaces ADD COLUMN next_webhook_id bigint NOT NULL DEFAULT 1;
ALTER TABLE workspaces ADD COLUMN next_delivery_id bigint NOT NULL DEFAULT 1;

CREATE TABLE webhooks (
  workspace_id bigint NOT NULL,
  id bigint NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  url text NOT NULL,
  types text,
  description text,
  secret text NOT NULL,
  previous_secret text,
  previous_secret_expires_at bigint,
  position bigint NOT NULL,
  revision bigint NOT NULL,
  created_at bigint NOT NULL,
  digest text NOT NULL,
  status text NOT NULL DEFAULT 'paused' CHECK (status IN ('enabled', 'failing', 'paused', 'disabled')),
  read_to bigint,
  failure_count bigint NOT NULL DEFAULT 0,
  failing_since bigint,
  retry_step bigint NOT NULL DEFAULT 0,
  next_attempt_at bigint,
  lease_holder text,
  lease_until bigint,
  PRIMARY KEY (workspace_id, id)
);

CREATE TABLE webhook_retries (
  workspace_id bigint NOT NULL,
  webhook_id bigint NOT NULL,
  sequence bigint NOT NULL,
  attempt bigint NOT NULL,
  next_attempt_at bigint NOT NULL,
  PRIMARY KEY (workspace_id, webhook_id, sequence)
);

CREATE INDEX webhook_retries_by_time ON webhook_retries (workspace_id, webhook_id, next_attempt_at);

CREATE TABLE webhook_deliveries (
  workspace_id bigint NOT NULL,
  webhook_id bigint NOT NULL,
  id bigint NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  event_id text NOT NULL,
  at bigint NOT NULL,
  attempt bigint NOT NULL,
  http_status bigint,
  error text,
  milliseconds bigint NOT NULL,
  response_excerpt text,
  PRIMARY KEY (workspace_id, webhook_id, id)
);

CREATE INDEX webhook_deliveries_by_time ON webhook_deliveries (at);
