import { type ApiKey, apiKeyState } from '../domain/api-key.ts';
import { auditedApiKey } from '../domain/audit.ts';
import type {
  CommandInput,
  CommandOutput,
  DeprecatedCalls,
  NewApiKey,
} from '../domain/database.ts';
import type { Int64 } from '../domain/int64.ts';
import { formatRateLimit } from '../domain/rate-limit.ts';
import {
  type ApiKeyRow,
  type DeprecatedCallsRow,
  toApiKey,
  toDeprecatedCalls,
} from '../domain/rows.ts';
import { defaultWorkspaceName } from '../domain/workspace.ts';
import { holdAuditTrail, recordAudit } from './audit.ts';
import { type Session, statement } from './statement.ts';

const selectKeys = `
  SELECT api_keys.id, workspace_id AS "workspaceId", workspaces.name AS "workspaceName", api_keys.name,
    last_four AS "lastFour", scopes, rate_limit AS "rateLimit", api_keys.created_at AS "createdAt",
    expires_at AS "expiresAt", revoked_at AS "revokedAt", is_revoked AS "isRevoked",
    last_used_at AS "lastUsedAt"
  FROM api_keys JOIN workspaces ON workspaces.id = workspace_id`;

const selectByDigest = statement<ApiKeyRow>(`${selectKeys} WHERE digest = $1`);

const selectById = statement<ApiKeyRow>(`${selectKeys} WHERE api_keys.id = $1`);

const selectAll = statement<ApiKeyRow>(`
  ${selectKeys}
  WHERE $1::text IS NULL OR workspaces.name = $1
  ORDER BY api_keys.id`);

const selectDeprecatedCalls = statement<DeprecatedCallsRow>(`
  SELECT api_key_id AS "apiKeyId", api_keys.name AS "apiKeyName", workspaces.name AS "workspaceName",
    operation_id AS "operationId", call_count AS count, last_called_at AS "lastCalledAt"
  FROM deprecated_calls
    LEFT JOIN api_keys ON api_keys.id = api_key_id
    LEFT JOIN workspaces ON workspaces.id = workspace_id
  ORDER BY last_called_at DESC, api_key_id, operation_id`);

const selectNextApiKeyId = statement<{ id: Int64 }>('SELECT next_api_key_id AS id FROM store');

/** The reads of keys. */
export function createApiKeyReads(session: Session) {
  return {
    async findApiKey(digest: string): Promise<ApiKey | undefined> {
      const { rows } = await session.run(selectByDigest, [digest]);
      return rows[0] && toApiKey(rows[0]);
    },
    async listApiKeys(workspaceName?: string): Promise<ApiKey[]> {
      const { rows } = await session.run(selectAll, [workspaceName ?? null]);
      return rows.map(toApiKey);
    },
    async hasHadApiKey(): Promise<boolean> {
      const { rows } = await session.run(selectNextApiKeyId);
      return rows[0]?.id !== 1n;
    },
    async listDeprecatedCalls(): Promise<DeprecatedCalls[]> {
      const { rows } = await session.run(selectDeprecatedCalls);
      return rows.map(toDeprecatedCalls);
    },
  };
}

// The row of the store is held from here on: the first key is made by one. No id is taken where no key can be made,
// since a store whose first id is still to be had never had a key.
const takeApiKeyId = statement<{ id: Int64 }>(`
  UPDATE store SET next_api_key_id = next_api_key_id + 1
  WHERE EXISTS (SELECT 1 FROM workspaces WHERE name = $1)
  RETURNING next_api_key_id - 1 AS id`);

const holdNextApiKeyId = statement<{ id: Int64 }>(`
  SELECT next_api_key_id AS id FROM store FOR UPDATE`);

// No row is added when there is no workspace of that name.
const insertApiKey = statement(`
  INSERT INTO api_keys
    (id, workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at)
  SELECT $1, id, $3, $4, $5, $6, $7, $8, $9 FROM workspaces WHERE name = $2 FOR SHARE`);

// Of two who rotate a key at once, one comes after the other and finds it revoked.
const holdApiKey = statement('SELECT 1 FROM api_keys WHERE id = $1 FOR UPDATE');

const setRevoked = statement(`
  UPDATE api_keys SET revoked_at = $2, is_revoked = 1 WHERE id = $1 AND is_revoked = 0`);

// A key that is to end sooner stays so: an overlap never lengthens a life.
const updateRevokedAt = statement(`
  UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND (revoked_at IS NULL OR revoked_at > $2)`);

// In the same order on every machine, so that two of them do not wait for each other.
const holdApiKeys = statement(
  'SELECT 1 FROM api_keys WHERE id = ANY ($1::bigint[]) ORDER BY id FOR UPDATE',
);

const updateLastUsedAt = statement(`
  UPDATE api_keys SET last_used_at = greatest(coalesce(last_used_at, used.at), used.at)
  FROM (
    SELECT id, max(at) AS at FROM unnest($1::bigint[], $2::bigint[]) AS given (id, at) GROUP BY id
  ) AS used
  WHERE api_keys.id = used.id`);

// A key that was deleted with its workspace leaves no trace; 0 is the operator's own.
const upsertDeprecatedCalls = statement(`
  INSERT INTO deprecated_calls (api_key_id, operation_id, call_count, last_called_at)
  SELECT api_key_id, operation_id, sum(call_count)::bigint, max(last_called_at)
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[])
    AS given (api_key_id, operation_id, call_count, last_called_at)
  WHERE api_key_id = 0 OR EXISTS (SELECT 1 FROM api_keys WHERE id = api_key_id)
  GROUP BY api_key_id, operation_id
  ORDER BY api_key_id, operation_id
  ON CONFLICT (api_key_id, operation_id) DO UPDATE SET
    call_count = deprecated_calls.call_count + excluded.call_count,
    last_called_at = greatest(deprecated_calls.last_called_at, excluded.last_called_at)`);

async function find(session: Session, id: Int64): Promise<ApiKey | undefined> {
  const { rows } = await session.run(selectById, [id]);
  return rows[0] && toApiKey(rows[0]);
}

async function create(
  session: Session,
  workspaceName: string,
  apiKey: NewApiKey,
  now: number,
): Promise<ApiKey | undefined> {
  const { name, digest, lastFour, scopes, rateLimit, expiresAt = null } = apiKey;
  const { rows } = await session.run(takeApiKeyId, [workspaceName]);
  const id = rows[0]?.id;
  if (id === undefined) return undefined;
  const limitText = rateLimit === undefined ? null : formatRateLimit(rateLimit);
  const { count } = await session.run(insertApiKey, [
    id,
    workspaceName,
    name,
    digest,
    lastFour,
    scopes.join(' '),
    limitText,
    now,
    expiresAt,
  ]);
  return count === 0 ? undefined : find(session, id);
}

async function createAudited(
  session: Session,
  workspaceName: string,
  newKey: NewApiKey,
  now: number,
): Promise<ApiKey | undefined> {
  const apiKey = await create(session, workspaceName, newKey, now);
  if (apiKey !== undefined) {
    const details = auditedApiKey(apiKey, newKey.digest);
    await recordAudit(session, { at: now, event: 'api_key_created', details });
  }
  return apiKey;
}

/** The writes of keys; they run inside a transaction. */
export const apiKeyCommands = {
  async createApiKey(
    session: Session,
    { workspaceName, apiKey, now }: CommandInput<'createApiKey'>,
  ): Promise<CommandOutput<'createApiKey'>> {
    return (await createAudited(session, workspaceName, apiKey, now)) ?? 'no_such_workspace';
  },
  async createFirstApiKey(
    session: Session,
    { apiKey, now }: CommandInput<'createFirstApiKey'>,
  ): Promise<CommandOutput<'createFirstApiKey'>> {
    const { rows } = await session.run(holdNextApiKeyId);
    return rows[0]?.id === 1n
      ? createAudited(session, defaultWorkspaceName, apiKey, now)
      : undefined;
  },
  async rotateApiKey(
    session: Session,
    { id, digest, lastFour, overlapMilliseconds, now }: CommandInput<'rotateApiKey'>,
  ): Promise<CommandOutput<'rotateApiKey'>> {
    await holdAuditTrail(session);
    await session.run(holdApiKey, [id]);
    const old = await find(session, id);
    if (old === undefined) return 'no_such_key';
    if (apiKeyState(old, now) !== 'active') return 'not_active';
    const { name, scopes, rateLimit, expiresAt } = old;
    if (overlapMilliseconds === 0) await session.run(setRevoked, [id, now]);
    else await session.run(updateRevokedAt, [id, now + overlapMilliseconds]);
    const apiKey: NewApiKey = { name, digest, lastFour, scopes, rateLimit, expiresAt };
    const replacement = await create(session, old.workspaceName, apiKey, now);
    if (replacement === undefined) return 'no_such_key';
    const replaced = (await find(session, id)) ?? old;
    const ending = { replaces: Number(id), replacedEndsAt: replaced.revokedAt ?? now };
    const details = { ...auditedApiKey(replacement, digest), ...ending };
    await recordAudit(session, { at: now, event: 'api_key_rotated', details });
    return { replaced, replacement };
  },
  async revokeApiKey(
    session: Session,
    { id, now }: CommandInput<'revokeApiKey'>,
  ): Promise<CommandOutput<'revokeApiKey'>> {
    await holdAuditTrail(session);
    const { count } = await session.run(setRevoked, [id, now]);
    if (count > 0) {
      const details = { apiKeyId: Number(id), endsAt: now };
      await recordAudit(session, { at: now, event: 'api_key_revoked', details });
    }
    return find(session, id);
  },
  async recordApiKeyUses(
    session: Session,
    { uses }: CommandInput<'recordApiKeyUses'>,
  ): Promise<null> {
    const apiKeyIds = uses.map(({ apiKeyId }) => apiKeyId);
    await session.run(holdApiKeys, [apiKeyIds]);
    await session.run(updateLastUsedAt, [apiKeyIds, uses.map(({ lastUsedAt }) => lastUsedAt)]);
    const calls = uses.flatMap(({ apiKeyId, deprecatedCalls }) =>
      deprecatedCalls.map((operationCalls) => ({ apiKeyId, ...operationCalls })),
    );
    if (calls.length === 0) return null;
    await session.run(upsertDeprecatedCalls, [
      calls.map(({ apiKeyId }) => apiKeyId),
      calls.map(({ operationId }) => operationId),
      calls.map(({ count }) => count),
      calls.map(({ lastCalledAt }) => lastCalledAt),
    ]);
    return null;
  },
};
