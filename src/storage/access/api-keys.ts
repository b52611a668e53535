import {
  type ApiKey,
  type ApiKeyCommands,
  type ApiKeyReads,
  scopes as allScopes,
  apiKeyState,
  type DeprecatedCalls,
  type NewApiKey,
} from '../../domain/access/api-key.ts';
import { auditedApiKey, type InConsole } from '../../domain/access/audit-entry.ts';
import { formatRateLimit, parseRateLimit } from '../../domain/access/rate-limit.ts';
import { defaultWorkspaceName } from '../../domain/access/workspace.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { assignedIdMax, type Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import type { Queryable, Transaction } from '../queryable.ts';
import { cutPage, toPage } from '../records/pages.ts';
import { statement } from '../statement.ts';
import type { Within } from '../within.ts';
import { addAuditEntry, lockAuditTrail } from './audit-trail.ts';

/** A stored key with the name of its workspace. */
interface ApiKeyRow extends Omit<ApiKey, 'scopes' | 'rateLimit' | 'isRevoked'> {
  readonly digest: string;
  readonly scopes: string;
  readonly rateLimit: string | undefined;
  readonly isRevoked: number;
}

const plainColumns = [
  'createdAt',
  'expiresAt',
  'revokedAt',
  'isRevoked',
  'lastUsedAt',
  'rateLimit',
] as const;

const selectKeys = (where: string) =>
  statement<ApiKeyRow>(
    `
  SELECT api_keys.id, workspace_id AS "workspaceId", workspaces.name AS "workspaceName", api_keys.name,
    digest, last_four AS "lastFour", scopes, rate_limit AS "rateLimit", api_keys.created_at AS "createdAt",
    expires_at AS "expiresAt", revoked_at AS "revokedAt", is_revoked AS "isRevoked", last_used_at AS "lastUsedAt"
  FROM api_keys JOIN workspaces ON workspaces.id = workspace_id
  WHERE ${where}`,
    plainColumns,
  );

/** SQL for a key that is active at `$1`, as `apiKeyState` decides. */
export const isActiveApiKey = `api_keys.is_revoked = 0
  AND (api_keys.revoked_at IS NULL OR api_keys.revoked_at > $1)
  AND (api_keys.expires_at IS NULL OR api_keys.expires_at > $1)`;

const selectByDigest = selectKeys('digest = $1');
const selectByDigests = selectKeys('digest = ANY ($1::text[])');
const selectById = selectKeys('api_keys.id = $1');
const selectPage = selectKeys('api_keys.id < $1 ORDER BY api_keys.id DESC LIMIT $2');
const selectPageOfWorkspace = selectKeys(
  'workspace_id = $3 AND api_keys.id < $1 ORDER BY api_keys.id DESC LIMIT $2',
);

const selectNextId = 'SELECT next_api_key_id AS id FROM meta';
const readNextId = statement<{ id: Int64 }>(selectNextId);

const selectDeprecatedCalls = statement<DeprecatedCalls>(
  `SELECT api_key_id AS "apiKeyId", api_keys.name AS "apiKeyName", workspaces.id AS "workspaceId",
    workspaces.name AS "workspaceName", operation_id AS "operationId", call_count AS count, last_called_at AS "lastCalledAt"
  FROM deprecated_calls
    JOIN workspaces ON workspaces.id = deprecated_calls.workspace_id
    LEFT JOIN api_keys ON api_keys.id = api_key_id
  WHERE last_called_at <= $1
    AND (last_called_at < $1 OR (api_key_id, operation_id, workspaces.id) > ($2, $3, $4))
  ORDER BY last_called_at DESC, api_key_id, operation_id, workspaces.id LIMIT $5`,
  ['count', 'lastCalledAt', 'apiKeyName'],
);

export function createApiKeyReads(within: Within): ApiKeyReads {
  return {
    findApiKey: (context, digest) =>
      andThen(within(context).all(selectByDigest, [digest]), ([row]) => row && toApiKey(row)),
    findApiKeys: (context, digests) =>
      andThen(
        within(context).all(selectByDigests, [digests]),
        (rows) => new Map(rows.map((row) => [row.digest, toApiKey(row)])),
      ),
    findApiKeyById: (context, id) => findById(within(context), id),
    listApiKeys(context, { limit, afterId = assignedIdMax + 1n }, workspaceId) {
      const position = [afterId, limit + 1] as const;
      const rows =
        workspaceId === undefined
          ? within(context).all(selectPage, position)
          : within(context).all(selectPageOfWorkspace, [...position, workspaceId]);
      return andThen(rows, (found) => toPage(found.map(toApiKey), limit));
    },
    hasHadApiKey: (context) => andThen(within(context).all(readNextId), ([row]) => row?.id !== 1n),
    listDeprecatedCalls: (context, limit, after) =>
      andThen(
        within(context).all(selectDeprecatedCalls, [
          ...[after?.lastCalledAt ?? Number.MAX_SAFE_INTEGER, after?.apiKeyId ?? -1n],
          ...[after?.operationId ?? '', after?.workspaceId ?? 0n, limit + 1],
        ]),
        (rows) => cutPage(rows, limit),
      ),
  };
}

function findById(queryable: Queryable, id: Int64): Awaitable<ApiKey | undefined> {
  return andThen(queryable.all(selectById, [id]), ([row]) => row && toApiKey(row));
}

function toApiKey({ digest: _, scopes, rateLimit, isRevoked, ...row }: ApiKeyRow): ApiKey {
  return {
    ...row,
    scopes: allScopes.filter((scope) => scopes.split(' ').includes(scope)),
    rateLimit: rateLimit === undefined ? undefined : parseRateLimit(rateLimit),
    isRevoked: isRevoked === 1,
  };
}

// An id is taken only if the key can be created. So data whose next id is the first never had a key.
const takeId = statement<{ id: Int64; workspaceId: Int64 }>({
  sqlite: `
    UPDATE meta SET next_api_key_id = next_api_key_id + 1
    WHERE EXISTS (SELECT 1 FROM workspaces WHERE name = $1)
    RETURNING next_api_key_id - 1 AS id, (SELECT id FROM workspaces WHERE name = $1) AS "workspaceId"`,
  postgres: `
    WITH workspace AS (SELECT id FROM workspaces WHERE name = $1 FOR SHARE)
    UPDATE meta SET next_api_key_id = next_api_key_id + 1
    FROM workspace
    RETURNING next_api_key_id - 1 AS id, workspace.id AS "workspaceId"`,
});

const lockNextId = statement<{ id: Int64 }>(`${selectNextId} FOR UPDATE`);

// If a key is rotated twice at once, the second rotation runs after the first and finds the key revoked.
const lockKey = statement('SELECT 1 FROM api_keys WHERE id = $1 FOR UPDATE');

const lockKeys = statement(
  'SELECT 1 FROM api_keys WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE',
);

const setRevoked = statement(`
  UPDATE api_keys SET revoked_at = $2, is_revoked = 1 WHERE id = $1 AND is_revoked = 0`);

// An overlap never extends the life of a key that ends sooner.
const setEnd = statement(`
  UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND (revoked_at IS NULL OR revoked_at > $2)`);

const updateLastUsedAt = statement(`
  UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)`);

// Calls of a key that was deleted with its workspace are not counted. 0 is the key in the environment.
const addDeprecatedCalls = statement(`
  INSERT INTO deprecated_calls (workspace_id, api_key_id, operation_id, call_count, last_called_at)
  SELECT id, CAST($2 AS bigint), CAST($3 AS text), CAST($4 AS bigint), CAST($5 AS bigint) FROM workspaces
  WHERE id = $1 AND ($2 = 0 OR EXISTS (SELECT 1 FROM api_keys WHERE id = $2))
  ON CONFLICT (workspace_id, api_key_id, operation_id) DO UPDATE SET
    call_count = deprecated_calls.call_count + excluded.call_count,
    last_called_at = CASE WHEN deprecated_calls.last_called_at > excluded.last_called_at
      THEN deprecated_calls.last_called_at ELSE excluded.last_called_at END`);

/** Returns undefined if the workspace does not exist. */
async function create(
  transaction: Transaction,
  workspaceName: string,
  apiKey: NewApiKey,
  now: number,
): Promise<ApiKey | undefined> {
  const { scopes, rateLimit } = apiKey;
  const [taken] = await transaction.all(takeId, [workspaceName]);
  if (taken === undefined) return undefined;
  const { id, workspaceId } = taken;
  transaction.insert('api_keys', [
    {
      ...apiKey,
      id,
      workspaceId,
      scopes: scopes.join(' '),
      rateLimit: rateLimit && formatRateLimit(rateLimit),
      createdAt: now,
      isRevoked: 0,
    },
  ]);
  return findById(transaction, id);
}

/** The session of the console that acts, as the audit trail has it. */
function inConsole(sessionId: string | undefined): InConsole {
  return sessionId === undefined ? {} : { session: sessionId };
}

async function createAudited(
  transaction: Transaction,
  workspaceName: string,
  newKey: NewApiKey,
  now: number,
  sessionId?: string,
): Promise<ApiKey | undefined> {
  const apiKey = await create(transaction, workspaceName, newKey, now);
  if (apiKey !== undefined) {
    const details = { ...auditedApiKey(apiKey, newKey.digest), ...inConsole(sessionId) };
    await addAuditEntry(transaction, now, 'api_key_created', details);
  }
  return apiKey;
}

export const apiKeyCommands: CommandTable<keyof ApiKeyCommands> = {
  createApiKey: {
    async run(transaction, { workspaceName, apiKey, now, sessionId }) {
      await lockAuditTrail(transaction);
      const created = await createAudited(transaction, workspaceName, apiKey, now, sessionId);
      return created === undefined ? { refused: 'no_such_workspace' } : { ok: created };
    },
  },
  createFirstApiKey: {
    async run(transaction, { apiKey, now }) {
      const [next] = await transaction.all(lockNextId);
      const created =
        next?.id === 1n
          ? await createAudited(transaction, defaultWorkspaceName, apiKey, now)
          : undefined;
      return created === undefined ? { refused: 'not_the_first' } : { ok: created };
    },
  },
  rotateApiKey: {
    removesAccess: 'urgently',
    async run(transaction, { id, digest, lastFour, overlapMilliseconds, now, sessionId }) {
      await lockAuditTrail(transaction);
      await transaction.all(lockKey, [id]);
      const old = await findById(transaction, id);
      if (old === undefined) return { refused: 'no_such_key' };
      if (apiKeyState(old, now) !== 'active') return { refused: 'not_active' };
      const { name, scopes, rateLimit, expiresAt } = old;
      if (overlapMilliseconds === 0) transaction.runDeferred(setRevoked, [id, now]);
      else transaction.runDeferred(setEnd, [id, now + overlapMilliseconds]);
      const apiKey: NewApiKey = { name, digest, lastFour, scopes, rateLimit, expiresAt };
      const replacement = await create(transaction, old.workspaceName, apiKey, now);
      const replaced = await findById(transaction, id);
      if (replacement === undefined || replaced === undefined) return { refused: 'no_such_key' };
      await addAuditEntry(transaction, now, 'api_key_rotated', {
        ...auditedApiKey(replacement, digest),
        ...{ replaces: Number(id), replacedEndsAt: replaced.revokedAt ?? now },
        ...inConsole(sessionId),
      });
      return { ok: { replaced, replacement } };
    },
  },
  revokeApiKey: {
    removesAccess: 'urgently',
    async run(transaction, { id, now, sessionId }) {
      await lockAuditTrail(transaction);
      if ((await transaction.run(setRevoked, [id, now])) > 0) {
        const details = { apiKeyId: Number(id), endsAt: now, ...inConsole(sessionId) };
        await addAuditEntry(transaction, now, 'api_key_revoked', details);
      }
      const revoked = await findById(transaction, id);
      return revoked === undefined ? { refused: 'no_such_key' } : { ok: revoked };
    },
  },
  saveApiKeyUses: {
    async run(transaction, { uses }) {
      // In the same order on every server, so that two servers do not wait for each other. The keys are locked first, so that
      // a key that is deleted now gets no calls afterwards.
      const ordered = uses.toSorted((left, right) => (left.apiKeyId < right.apiKeyId ? -1 : 1));
      await transaction.all(lockKeys, [ordered.map(({ apiKeyId }) => apiKeyId)]);
      for (const { apiKeyId, lastUsedAt } of ordered) {
        transaction.runDeferred(updateLastUsedAt, [apiKeyId, lastUsedAt]);
      }
      for (const { workspaceId, apiKeyId, deprecatedCalls } of ordered) {
        const calls = deprecatedCalls.toSorted((left, right) =>
          left.operationId < right.operationId ? -1 : 1,
        );
        for (const { operationId, count, lastCalledAt } of calls) {
          const values = [workspaceId, apiKeyId, operationId, count, lastCalledAt];
          transaction.runDeferred(addDeprecatedCalls, values);
        }
      }
      return { ok: null };
    },
  },
};
