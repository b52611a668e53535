import type { Migration } from '../migration.ts';

export const categories: Migration = {
  // An older program would leave the categories of a workspace behind when it deletes it.
  writerVersion: 2,
  sqlite: `
    ALTER TABLE workspaces ADD COLUMN next_category_id INTEGER NOT NULL DEFAULT 1;

    -- ids are assigned, or chosen by clients: then any, also above the counter.
    CREATE TABLE categories (
      workspace_id INTEGER NOT NULL REFERENCES workspaces (id),
      id INTEGER NOT NULL,
      name TEXT NOT NULL,
      description TEXT,
      PRIMARY KEY (workspace_id, id)
    ) STRICT, WITHOUT ROWID;

    -- In the order of a page by category and status. A page by category alone merges the runs of its statuses, so that no
    -- second index is to be kept.
    CREATE INDEX pets_by_category ON pets (workspace_id, category_id, status, id, name);`,
  postgres: `
    ALTER TABLE workspaces ADD COLUMN next_category_id bigint NOT NULL DEFAULT 1;

    CREATE TABLE categories (
      workspace_id bigint NOT NULL,
      id bigint NOT NULL,
      name text NOT NULL,
      description text,
      PRIMARY KEY (workspace_id, id)
    );

    CREATE INDEX pets_by_category ON pets (workspace_id, category_id, status, id);`,
};
