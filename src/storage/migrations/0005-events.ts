import type { Migration } from '../migration.ts';

export const events: Migration = {
  // An older program would change records without telling the feed.
  writerVersion: 5,
  sqlite: `
    ALTER TABLE workspaces ADD COLUMN next_event_sequence INTEGER NOT NULL DEFAULT 1;

    -- The text of each event is what is sent.
    CREATE TABLE events (
      workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
      sequence INTEGER NOT NULL CHECK (sequence BETWEEN 1 AND 9007199254740991),
      type TEXT NOT NULL,
      at INTEGER NOT NULL,
      json TEXT NOT NULL,
      PRIMARY KEY (workspace_id, sequence)
    ) STRICT, WITHOUT ROWID;`,
  postgres: `
    ALTER TABLE workspaces ADD COLUMN next_event_sequence bigint NOT NULL DEFAULT 1;

    CREATE TABLE events (
      workspace_id bigint NOT NULL,
      sequence bigint NOT NULL CHECK (sequence BETWEEN 1 AND 9007199254740991),
      type text NOT NULL,
      at bigint NOT NULL,
      json text NOT NULL,
      PRIMARY KEY (workspace_id, sequence)
    );`,
};
