-- Who changed who may do what, and what happened to the store. Each entry bears a digest of itself and of the one
-- before; the row of store knows how many there are, and the digest of the last.
CREATE TABLE audit_entries (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  event TEXT NOT NULL,
  details TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT;

ALTER TABLE store ADD COLUMN audit_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE store ADD COLUMN audit_digest TEXT NOT NULL DEFAULT '';

CREATE TRIGGER audit_entries_are_not_changed BEFORE UPDATE ON audit_entries
BEGIN SELECT raise(ABORT, 'the audit trail is only added to'); END;

CREATE TRIGGER audit_entries_are_not_deleted BEFORE DELETE ON audit_entries
BEGIN SELECT raise(ABORT, 'the audit trail is only added to'); END;
