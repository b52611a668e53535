import { operatorApiKeyId } from '../../domain/access/api-key.ts';
import {
  type ConsoleCommands,
  type ConsoleReads,
  sessionIdOf,
} from '../../domain/access/console-session.ts';
import { defaultWorkspaceName, type Workspace } from '../../domain/access/workspace.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import type { Transaction } from '../queryable.ts';
import { deleteFirstExpired, statement } from '../statement.ts';
import type { Within } from '../within.ts';
import { createApiKeyReads } from './api-keys.ts';
import { addAuditEntries, addAuditEntry, lockAuditTrail } from './audit-trail.ts';
import { listConsoleSessions } from './session-list.ts';

interface SessionRow {
  readonly workspaceId: Int64;
  readonly workspaceName: string;
  readonly createdAt: number;
  readonly lastActiveAt: number;
  readonly expiresAt: number;
  readonly apiKeyDigest: string | undefined;
}

const selectSession = statement<SessionRow>(
  `SELECT workspaces.id AS "workspaceId", workspaces.name AS "workspaceName",
    console_tokens.created_at AS "createdAt", last_active_at AS "lastActiveAt", expires_at AS "expiresAt",
    api_key_digest AS "apiKeyDigest"
  FROM console_tokens JOIN workspaces ON workspaces.id = workspace_id
  WHERE digest = $1 AND is_link = 0`,
  ['createdAt', 'lastActiveAt', 'expiresAt', 'apiKeyDigest'],
);

const selectLink = statement(
  'SELECT 1 FROM console_tokens WHERE digest = $1 AND is_link = 1 AND expires_at > $2',
);

const selectSessionDigests = statement<{ digest: string }>(
  'SELECT digest FROM console_tokens WHERE digest = ANY ($1::text[]) AND is_link = 0',
);

export function createConsoleReads(within: Within): ConsoleReads {
  const { findApiKey } = createApiKeyReads(within);
  return {
    async hasConsoleLink(context, digest, now) {
      return (await within(context).all(selectLink, [digest, now])).length > 0;
    },
    async filterConsoleSessions(context, digests) {
      const rows = await within(context).all(selectSessionDigests, [digests]);
      return rows.map(({ digest }) => digest);
    },
    async findConsoleSession(context, digest) {
      const [row] = await within(context).all(selectSession, [digest]);
      if (row === undefined) return undefined;
      const { workspaceId, workspaceName, ...stored } = row;
      const { apiKeyDigest } = stored;
      return {
        id: sessionIdOf(digest),
        workspace: { id: workspaceId, name: workspaceName },
        ...stored,
        apiKey: apiKeyDigest === undefined ? undefined : await findApiKey(context, apiKeyDigest),
      };
    },
    listConsoleSessions: (context, filter) => listConsoleSessions(within(context), filter),
  };
}

const insertLink = statement(`
  INSERT INTO console_tokens (digest, is_link, workspace_id, api_key_digest, created_at, last_active_at, expires_at)
  SELECT CAST($1 AS text), 1, id, NULL, CAST($3 AS bigint), CAST($3 AS bigint), CAST($4 AS bigint) FROM workspaces WHERE name = $2`);

// If a link is used twice at once, only one request deletes its row.
const spendLink = statement<{ digest: string }>(`
  DELETE FROM console_tokens
  WHERE digest = $1 AND is_link = 1 AND expires_at > $2 AND EXISTS (SELECT 1 FROM workspaces WHERE id = workspace_id)
  RETURNING digest`);

// An owner has every workspace. So the row names the one that cannot be deleted, because a session ends with the workspace of its row.
const selectDefaultWorkspace = statement<Pick<Workspace, 'id' | 'name'>>(
  'SELECT id, name FROM workspaces WHERE name = $1',
);

// A report that arrives late never brings the end forward, and a session that was closed stays closed.
const updateActivity = statement(`
  UPDATE console_tokens SET last_active_at = $2, expires_at = $3
  WHERE digest = $1 AND is_link = 0 AND last_active_at < $2`);

const deleteSession = statement('DELETE FROM console_tokens WHERE digest = $1 AND is_link = 0');

const deleteExpired = deleteFirstExpired('console_tokens');

interface EndedRow {
  readonly digest: string;
  readonly workspaceName: string | null;
  readonly apiKeyDigest: string | null;
  readonly apiKeyId: Int64 | null;
}

const deleteSessions = statement<EndedRow>(`
  DELETE FROM console_tokens WHERE digest = ANY ($2::text[]) AND is_link = 0 AND expires_at > $1
  RETURNING digest, (SELECT name FROM workspaces WHERE id = workspace_id) AS "workspaceName",
    api_key_digest AS "apiKeyDigest",
    (SELECT id FROM api_keys WHERE api_keys.digest = api_key_digest) AS "apiKeyId"`);

interface OpenedSession {
  readonly digest: string;
  readonly replaces: string | undefined;
  readonly workspace: Pick<Workspace, 'id' | 'name'>;
  readonly apiKey: { readonly id: Int64; readonly digest: string } | undefined;
  readonly address: string | undefined;
  readonly now: number;
  readonly expiresAt: number;
}

async function openSession(
  transaction: Transaction,
  { digest, replaces, workspace, apiKey, address, now, expiresAt }: OpenedSession,
): Promise<void> {
  if (replaces !== undefined) transaction.runDeferred(deleteSession, [replaces]);
  transaction.insert('console_tokens', [
    {
      digest,
      isLink: 0,
      workspaceId: workspace.id,
      apiKeyDigest: apiKey?.digest,
      createdAt: now,
      lastActiveAt: now,
      expiresAt,
      address,
    },
  ]);
  const session = auditedSession(digest, apiKey?.id);
  const details = { ...session, workspace: workspace.name, address: address ?? null };
  await addAuditEntry(transaction, now, 'console_signed_in', details);
}

/** `apiKeyId` is undefined for an owner. */
function auditedSession(digest: string, apiKeyId: Int64 | undefined) {
  return apiKeyId === undefined
    ? ({ session: sessionIdOf(digest), kind: 'owner', apiKeyId: null } as const)
    : ({ session: sessionIdOf(digest), kind: 'api_key', apiKeyId: Number(apiKeyId) } as const);
}

export const consoleCommands: CommandTable<keyof ConsoleCommands> = {
  createConsoleLink: {
    async run(transaction, { digest, workspaceName, now, expiresAt }) {
      const count = await transaction.run(insertLink, [digest, workspaceName, now, expiresAt]);
      return count === 0 ? { refused: 'no_such_workspace' } : { ok: null };
    },
  },
  openOwnerSession: {
    async run(transaction, { linkDigest, ...opened }) {
      await lockAuditTrail(transaction);
      const [link] = await transaction.all(spendLink, [linkDigest, opened.now]);
      const [workspace] = await transaction.all(selectDefaultWorkspace, [defaultWorkspaceName]);
      if (link === undefined || workspace === undefined) return { refused: 'link_not_valid' };
      await openSession(transaction, { ...opened, workspace, apiKey: undefined });
      return { ok: null };
    },
  },
  openApiKeySession: {
    async run(transaction, { apiKey, ...opened }) {
      await lockAuditTrail(transaction);
      const workspace = { id: apiKey.workspaceId, name: apiKey.workspaceName };
      await openSession(transaction, { ...opened, workspace, apiKey });
      return { ok: null };
    },
  },
  saveSessionActivities: {
    async run(transaction, { activities }) {
      // In the same order on every server, so that two of them do not wait for each other.
      const ordered = activities.toSorted((left, right) => (left.digest < right.digest ? -1 : 1));
      for (const { digest, lastActiveAt, expiresAt } of ordered) {
        transaction.runDeferred(updateActivity, [digest, lastActiveAt, expiresAt]);
      }
      return { ok: null };
    },
  },
  closeConsoleSession: {
    removesAccess: 'urgently',
    async run(transaction, { digest }) {
      await transaction.run(deleteSession, [digest]);
      return { ok: null };
    },
  },
  endConsoleSessions: {
    removesAccess: 'urgently',
    async run(transaction, { digests, now, endedBy }) {
      await lockAuditTrail(transaction);
      const ended = await transaction.all(deleteSessions, [now, digests]);
      const entries = ended.map(({ digest, workspaceName, apiKeyDigest, apiKeyId }) => {
        const keyId = apiKeyDigest === null ? undefined : (apiKeyId ?? operatorApiKeyId);
        const session = auditedSession(digest, keyId);
        const by = endedBy === undefined ? {} : { endedBy };
        const details = { ...session, workspace: workspaceName, ...by };
        return { at: now, event: 'console_session_ended' as const, details };
      });
      await addAuditEntries(transaction, entries);
      return { ok: ended.map(({ digest }) => sessionIdOf(digest)) };
    },
  },
  deleteExpiredConsoleTokens: {
    async run(transaction, { now, tokensMax }) {
      return { ok: await transaction.run(deleteExpired, [now, tokensMax]) };
    },
  },
};
