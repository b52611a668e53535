-- 1 where a key is refused whatever the clock says. Where it is 0, revoked_at is the end of an overlap.
ALTER TABLE api_keys ADD COLUMN is_revoked INTEGER NOT NULL DEFAULT 0 CHECK (is_revoked IN (0, 1));

UPDATE api_keys SET is_revoked = 1 WHERE revoked_at <= unixepoch() * 1000;
