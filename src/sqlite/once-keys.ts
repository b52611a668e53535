import type { CommandInput, CommandOutput, OnceKey } from '../domain/database.ts';
import { formatExactJson, parseExactJson } from '../domain/exact-json.ts';
import type { Int64 } from '../domain/int64.ts';
import type { Connection } from './connection.ts';

interface OnceRow {
  readonly requestDigest: string;
  readonly output: string;
}

const selectOnceKey = `
  SELECT request_digest AS requestDigest, output FROM once_keys
  WHERE workspace_id = ?1 AND operation_id = ?2 AND key = ?3 AND expires_at > ?4`;

// Replaces what has expired; what has not was found before this runs.
const insertOnceKey = `
  INSERT OR REPLACE INTO once_keys
    (workspace_id, operation_id, key, request_digest, output, expires_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6)`;

const deleteExpired = `
  DELETE FROM once_keys
  WHERE (workspace_id, operation_id, key) IN (
    SELECT workspace_id, operation_id, key FROM once_keys
    WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)`;

/** The prepared writes; they run inside the writer's transaction. */
export function prepareOnceKeyCommands(connection: Connection) {
  const drop = connection.query<unknown, [number, number]>(deleteExpired);
  return {
    deleteExpiredOnceKeys({
      now,
      keysMax,
    }: CommandInput<'deleteExpiredOnceKeys'>): CommandOutput<'deleteExpiredOnceKeys'> {
      return drop.run(now, keysMax).changes;
    },
  };
}

/** Runs a command unless its key was used before; gives what the domain calls `WrittenOnce`. */
export type RunOnce = (once: OnceKey, run: () => unknown) => unknown;

export function prepareRunOnce(connection: Connection): RunOnce {
  const find = connection.query<OnceRow, [Int64, string, string, number]>(selectOnceKey);
  const insert = connection.query<unknown, [Int64, string, string, string, string, number]>(
    insertOnceKey,
  );
  return ({ workspaceId, operationId, key, requestDigest, now, expiresAt }, run) => {
    const found = find.get(workspaceId, operationId, key, now);
    if (found !== null) {
      return found.requestDigest === requestDigest
        ? { output: parseExactJson(found.output), replayed: true }
        : 'key_reused';
    }
    const output = run();
    // Where nothing was done, such as in a workspace that is gone, there is nothing to repeat.
    if (output !== undefined) {
      const text = formatExactJson(output);
      insert.run(workspaceId, operationId, key, requestDigest, text, expiresAt);
    }
    return { output, replayed: false };
  };
}
