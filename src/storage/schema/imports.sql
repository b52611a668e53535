-- Imports of the console: what each has added, so that any browser can continue or undo it.
--
-- A server of an earlier version on the same database may delete a workspace and leave its rows here, so there are no foreign keys.

ALTER TABLE workspaces ADD COLUMN next_import_id INTEGER NOT NULL DEFAULT 1;

-- source is the SHA-256 of a file and one of its sheets. An import expires 30 days after its last row.
CREATE TABLE imports (
  workspace_id INTEGER NOT NULL,
  id INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  source TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX imports_by_source ON imports (workspace_id, source);
CREATE INDEX imports_by_expiry ON imports (expires_at);

-- The records that an import added, with their versions at that time. place is the row of the file, and of a category its number.
CREATE TABLE imported_records (
  workspace_id INTEGER NOT NULL,
  import_id INTEGER NOT NULL,
  kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('category', 'pet')),
  place INTEGER NOT NULL,
  record_id INTEGER NOT NULL,
  version TEXT NOT NULL,
  PRIMARY KEY (workspace_id, import_id, kind, place)
) STRICT, WITHOUT ROWID;
