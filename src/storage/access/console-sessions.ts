import {
  type ConsoleSessionReads,
  type ListedConsoleSession,
  sessionIdOf,
} from '../../domain/access/console.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import type { Queryable } from '../queryable.ts';
import { statement } from '../statement.ts';
import { lockAuditTrail, recordAudit } from './audit.ts';

interface SessionRow {
  readonly digest: string;
  readonly workspaceName: string;
  readonly apiKeyDigest: string | null;
  readonly apiKeyId: Int64 | null;
  readonly apiKeyName: string | null;
  readonly signedInAt: number;
  readonly lastActiveAt: number;
  readonly expiresAt: number;
  readonly apiKeyEndsAt: number | undefined;
}

// A session whose key was revoked or has expired is none. A digest that no key has is that of the operator's own key.
const currentSessions = `
  FROM console_tokens
    JOIN workspaces ON workspaces.id = console_tokens.workspace_id
    LEFT JOIN api_keys ON api_keys.digest = api_key_digest
  WHERE is_link = 0 AND console_tokens.expires_at > $1 AND (CAST($2 AS text) IS NULL OR workspaces.name = $2)
    AND (api_keys.id IS NULL OR (is_revoked = 0 AND (revoked_at IS NULL OR revoked_at > $1)
      AND (api_keys.expires_at IS NULL OR api_keys.expires_at > $1)))`;

const selectSessions = statement<SessionRow>(
  `SELECT console_tokens.digest, workspaces.name AS "workspaceName", api_key_digest AS "apiKeyDigest",
    api_keys.id AS "apiKeyId", api_keys.name AS "apiKeyName", console_tokens.created_at AS "signedInAt",
    last_active_at AS "lastActiveAt", console_tokens.expires_at AS "expiresAt",
    CASE WHEN revoked_at < api_keys.expires_at THEN revoked_at ELSE coalesce(api_keys.expires_at, revoked_at) END
      AS "apiKeyEndsAt"
  ${currentSessions}
    AND (CAST($4 AS bigint) IS NULL OR console_tokens.created_at < $4
      OR (console_tokens.created_at = $4 AND substr(console_tokens.digest, 1, 16) > CAST($5 AS text)))
  ORDER BY console_tokens.created_at DESC, console_tokens.digest LIMIT $3`,
  ['signedInAt', 'lastActiveAt', 'expiresAt', 'apiKeyEndsAt'],
);

export function createConsoleSessionReads(queryable: Queryable): ConsoleSessionReads {
  return {
    listConsoleSessions({ workspaceName, now, sessionsMax, after }) {
      const { signedInAt = null, id = null } = after ?? {};
      const parameters = [now, workspaceName ?? null, sessionsMax, signedInAt, id];
      return andThen(queryable.all(selectSessions, parameters), (rows) => rows.map(toListed));
    },
  };
}

function toListed({ digest, apiKeyDigest, ...row }: SessionRow): ListedConsoleSession {
  const apiKey = { id: row.apiKeyId ?? 0n, name: row.apiKeyName ?? undefined };
  return {
    id: sessionIdOf(digest),
    workspaceName: row.workspaceName,
    apiKey: apiKeyDigest === null ? undefined : apiKey,
    signedInAt: row.signedInAt,
    lastActiveAt: row.lastActiveAt,
    expiresAt: Math.min(row.expiresAt, row.apiKeyEndsAt ?? row.expiresAt),
  };
}

interface EndedRow {
  readonly digest: string;
  readonly workspaceName: string | null;
  readonly apiKeyDigest: string | null;
  readonly apiKeyId: Int64 | null;
}

const deleteSessions = statement<EndedRow>(`
  DELETE FROM console_tokens
  WHERE is_link = 0 AND expires_at > $1 AND substr(digest, 1, 16) = ANY ($2::text[])
  RETURNING digest, (SELECT name FROM workspaces WHERE id = workspace_id) AS "workspaceName",
    api_key_digest AS "apiKeyDigest",
    (SELECT id FROM api_keys WHERE api_keys.digest = api_key_digest) AS "apiKeyId"`);

export const consoleSessionCommands: CommandTable<'endConsoleSessions'> = {
  endConsoleSessions: {
    async run(transaction, { sessions, now }) {
      await lockAuditTrail(transaction);
      const ended = await transaction.all(deleteSessions, [now, sessions]);
      for (const { digest, workspaceName, apiKeyDigest, apiKeyId } of ended) {
        const details = {
          session: sessionIdOf(digest),
          kind: apiKeyDigest === null ? 'owner' : 'api_key',
          apiKeyId: apiKeyDigest === null ? null : Number(apiKeyId ?? 0n),
          workspace: workspaceName,
        } as const;
        await recordAudit(transaction, { at: now, event: 'console_session_ended', details });
      }
      return { ok: ended.map(({ digest }) => sessionIdOf(digest)) };
    },
  },
};
