-- Who changed who may do what, and what happened to the store. Each entry bears a digest of itself and of the one
-- before; the row of store knows how many there are, and the digest of the last.
CREATE TABLE audit_entries (
  id bigint PRIMARY KEY,
  at bigint NOT NULL,
  actor text NOT NULL,
  event text NOT NULL,
  details text NOT NULL,
  digest text NOT NULL
);

ALTER TABLE store ADD COLUMN audit_count bigint NOT NULL DEFAULT 0;
ALTER TABLE store ADD COLUMN audit_digest text NOT NULL DEFAULT '';

CREATE FUNCTION refuse_change_of_audit_entries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit trail is only added to';
END
$$;

CREATE TRIGGER audit_entries_are_not_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
EXECUTE FUNCTION refuse_change_of_audit_entries();
