import type { CommandInput, CommandOutput, OnceKey } from '../domain/database.ts';
import { formatExactJson, parseExactJson } from '../domain/exact-json.ts';
import type { Int64 } from '../domain/int64.ts';
import { type Session, statement } from './statement.ts';

// Whoever writes under a key of this workspace holds this row until the commit, so no other machine can be
// between looking for a key and storing it.
const holdWorkspace = statement('SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE');

interface OnceRow {
  readonly operationId: string;
  readonly key: string;
  readonly requestDigest: string;
  readonly output: string;
}

const selectOnceKeys = statement<OnceRow>(`
  SELECT operation_id AS "operationId", key, request_digest AS "requestDigest", output
  FROM once_keys
  WHERE workspace_id = $1 AND operation_id = $2 AND key = ANY ($3::text[]) AND expires_at > $4`);

// Replaces what has expired; what has not was found before this runs.
const insertOnceKeys = statement(`
  INSERT INTO once_keys (workspace_id, operation_id, key, request_digest, output, expires_at)
  SELECT $1, $2, key, request_digest, output, expires_at
  FROM unnest($3::text[], $4::text[], $5::text[], $6::bigint[])
    AS given (key, request_digest, output, expires_at)
  ON CONFLICT (workspace_id, operation_id, key) DO UPDATE SET
    request_digest = excluded.request_digest,
    output = excluded.output,
    expires_at = excluded.expires_at`);

// Chosen in a statement of their own: as a condition it may run once for each row, and choose others each time.
const deleteExpired = statement(`
  WITH chosen AS MATERIALIZED (
    SELECT workspace_id, operation_id, key FROM once_keys
    WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  DELETE FROM once_keys
  WHERE (workspace_id, operation_id, key) IN (SELECT workspace_id, operation_id, key FROM chosen)`);

/** The writes that clear what has expired; they run inside a transaction. */
export const onceKeyCommands = {
  async deleteExpiredOnceKeys(
    session: Session,
    { now, keysMax }: CommandInput<'deleteExpiredOnceKeys'>,
  ): Promise<CommandOutput<'deleteExpiredOnceKeys'>> {
    const { count } = await session.run(deleteExpired, [now, keysMax]);
    return count;
  },
};

/** What was stored under a key. */
export interface Remembered {
  readonly requestDigest: string;
  readonly output: unknown;
}

/** What a key is found under, among those of one workspace and operation. */
export interface OnceScope {
  readonly workspaceId: Int64;
  readonly operationId: string;
}

/** Finds which of these keys were used before, and keeps all others from using them until the commit. */
export async function findOnceKeys(
  session: Session,
  { workspaceId, operationId }: OnceScope,
  keys: readonly OnceKey[],
): Promise<Map<string, Remembered>> {
  await session.run(holdWorkspace, [workspaceId]);
  const now = Math.min(...keys.map((key) => key.now));
  const texts = keys.map(({ key }) => key);
  const { rows } = await session.run(selectOnceKeys, [workspaceId, operationId, texts, now]);
  return new Map(
    rows.map(({ key, requestDigest, output }) => [
      key,
      { requestDigest, output: parseExactJson(output) },
    ]),
  );
}

/** Stores what was done under keys that were not found. */
export async function storeOnceKeys(
  session: Session,
  { workspaceId, operationId }: OnceScope,
  done: readonly { readonly once: OnceKey; readonly output: unknown }[],
): Promise<void> {
  if (done.length === 0) return;
  await session.run(insertOnceKeys, [
    workspaceId,
    operationId,
    done.map(({ once }) => once.key),
    done.map(({ once }) => once.requestDigest),
    done.map(({ output }) => formatExactJson(output)),
    done.map(({ once }) => once.expiresAt),
  ]);
}
