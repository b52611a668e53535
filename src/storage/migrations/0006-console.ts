import type { Migration } from '../migration.ts';

export const consoleTokens: Migration = {
  // An older program maintains nothing of it.
  writerVersion: 5,
  sqlite: `
    -- Who is signed in to the console, and who may sign in: digest is the SHA-256 of a random token, which is nowhere. A link
    -- signs in once. api_key_digest is that of the key that was given, and missing for an owner. No foreign key: an older
    -- program that deletes a workspace must not be kept from it by rows that it does not know.
    CREATE TABLE console_tokens (
      digest TEXT NOT NULL PRIMARY KEY,
      is_link INTEGER NOT NULL CHECK (is_link IN (0, 1)),
      workspace_id INTEGER NOT NULL,
      api_key_digest TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE INDEX console_tokens_by_expiry ON console_tokens (expires_at);`,
  postgres: `
    CREATE TABLE console_tokens (
      digest text COLLATE "C" PRIMARY KEY,
      is_link bigint NOT NULL CHECK (is_link IN (0, 1)),
      workspace_id bigint NOT NULL,
      api_key_digest text,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL
    );

    CREATE INDEX console_tokens_by_expiry ON console_tokens (expires_at);`,
};
