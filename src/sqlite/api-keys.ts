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
import { prepareAudit } from './audit.ts';
import type { Connection } from './connection.ts';

const columns = `
  api_keys.id, workspace_id AS workspaceId, workspaces.name AS workspaceName, api_keys.name,
  last_four AS lastFour, scopes, rate_limit AS rateLimit, api_keys.created_at AS createdAt, expires_at AS expiresAt,
  revoked_at AS revokedAt, is_revoked AS isRevoked, last_used_at AS lastUsedAt`;

const selectByDigest = `
  SELECT ${columns} FROM api_keys JOIN workspaces ON workspaces.id = workspace_id
  WHERE digest = ?1`;

const selectById = `
  SELECT ${columns} FROM api_keys JOIN workspaces ON workspaces.id = workspace_id
  WHERE api_keys.id = ?1`;

const selectAll = `
  SELECT ${columns} FROM api_keys JOIN workspaces ON workspaces.id = workspace_id
  WHERE ?1 IS NULL OR workspaces.name = ?1
  ORDER BY api_keys.id`;

const selectDeprecatedCalls = `
  SELECT api_key_id AS apiKeyId, api_keys.name AS apiKeyName, workspaces.name AS workspaceName,
    operation_id AS operationId, call_count AS count, last_called_at AS lastCalledAt
  FROM deprecated_calls
    LEFT JOIN api_keys ON api_keys.id = api_key_id
    LEFT JOIN workspaces ON workspaces.id = workspace_id
  ORDER BY last_called_at DESC, api_key_id, operation_id`;

// AUTOINCREMENT's memory outlives the rows: deleting every key does not make the store new again. It is 0 where a key
// was asked for and not made.
const selectAnyEver = `SELECT 1 FROM sqlite_sequence WHERE name = 'api_keys' AND seq > 0`;

/** The prepared reads, on a connection of their own. */
export function prepareApiKeyReads(connection: Connection) {
  const byDigest = connection.query<ApiKeyRow, [string]>(selectByDigest);
  const all = connection.query<ApiKeyRow, [string | null]>(selectAll);
  const anyEver = connection.query<unknown, []>(selectAnyEver);
  const calls = connection.query<DeprecatedCallsRow, []>(selectDeprecatedCalls);
  return {
    findApiKey(digest: string): ApiKey | undefined {
      const row = byDigest.get(digest);
      return row === null ? undefined : toApiKey(row);
    },
    listApiKeys(workspaceName?: string): ApiKey[] {
      return all.all(workspaceName ?? null).map(toApiKey);
    },
    hasHadApiKey: (): boolean => anyEver.get() !== null,
    listDeprecatedCalls(): DeprecatedCalls[] {
      return calls.all().map(toDeprecatedCalls);
    },
  };
}

// No row comes back when there is no workspace of that name.
const insertApiKey = `
  INSERT INTO api_keys (workspace_id, name, digest, last_four, scopes, rate_limit, created_at, expires_at)
  SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM workspaces WHERE name = ?1
  RETURNING id`;

const setRevoked = `
  UPDATE api_keys SET revoked_at = ?2, is_revoked = 1 WHERE id = ?1 AND is_revoked = 0`;

// A key that is to end sooner stays so: an overlap never lengthens a life.
const updateRevokedAt = `
  UPDATE api_keys SET revoked_at = ?2 WHERE id = ?1 AND (revoked_at IS NULL OR revoked_at > ?2)`;

const updateLastUsedAt = `
  UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, ?2), ?2) WHERE id = ?1`;

// A key that was deleted with its workspace leaves no trace; 0 is the operator's own.
const upsertDeprecatedCalls = `
  INSERT INTO deprecated_calls (api_key_id, operation_id, call_count, last_called_at)
  SELECT ?1, ?2, ?3, ?4 WHERE ?1 = 0 OR EXISTS (SELECT 1 FROM api_keys WHERE id = ?1)
  ON CONFLICT (api_key_id, operation_id) DO UPDATE SET
    call_count = call_count + excluded.call_count,
    last_called_at = max(last_called_at, excluded.last_called_at)`;

/** The prepared writes; they run inside the writer's transaction. */
export function prepareApiKeyCommands(connection: Connection) {
  const byId = connection.query<ApiKeyRow, [Int64]>(selectById);
  const insert = connection.query<
    { id: Int64 },
    [string, string, string, string, string, string | null, number, number | null]
  >(insertApiKey);
  const anyEver = connection.query<unknown, []>(selectAnyEver);
  const setRevokedAt = connection.query<unknown, [Int64, number]>(updateRevokedAt);
  const revoke = connection.query<unknown, [Int64, number]>(setRevoked);
  const setLastUsedAt = connection.query<unknown, [Int64, number]>(updateLastUsedAt);
  const addCalls = connection.query<unknown, [Int64, string, number, number]>(
    upsertDeprecatedCalls,
  );

  const record = prepareAudit(connection);

  function find(id: Int64): ApiKey | undefined {
    const row = byId.get(id);
    return row === null ? undefined : toApiKey(row);
  }

  function create(workspaceName: string, apiKey: NewApiKey, now: number): ApiKey | undefined {
    const { name, digest, lastFour, rateLimit, expiresAt = null } = apiKey;
    const scopeText = apiKey.scopes.join(' ');
    const limitText = rateLimit === undefined ? null : formatRateLimit(rateLimit);
    const row = insert.get(
      workspaceName,
      name,
      digest,
      lastFour,
      scopeText,
      limitText,
      now,
      expiresAt,
    );
    return row === null ? undefined : find(row.id);
  }

  function createAudited(workspaceName: string, newKey: NewApiKey, now: number) {
    const apiKey = create(workspaceName, newKey, now);
    if (apiKey !== undefined) {
      const details = auditedApiKey(apiKey, newKey.digest);
      record({ at: now, event: 'api_key_created', details });
    }
    return apiKey;
  }

  return {
    createApiKey({
      workspaceName,
      apiKey,
      now,
    }: CommandInput<'createApiKey'>): CommandOutput<'createApiKey'> {
      return createAudited(workspaceName, apiKey, now) ?? 'no_such_workspace';
    },
    createFirstApiKey({
      apiKey,
      now,
    }: CommandInput<'createFirstApiKey'>): CommandOutput<'createFirstApiKey'> {
      return anyEver.get() === null ? createAudited(defaultWorkspaceName, apiKey, now) : undefined;
    },
    rotateApiKey({
      id,
      digest,
      lastFour,
      overlapMilliseconds,
      now,
    }: CommandInput<'rotateApiKey'>): CommandOutput<'rotateApiKey'> {
      const old = find(id);
      if (old === undefined) return 'no_such_key';
      if (apiKeyState(old, now) !== 'active') return 'not_active';
      const { name, scopes, rateLimit, expiresAt } = old;
      if (overlapMilliseconds === 0) revoke.run(id, now);
      else setRevokedAt.run(id, now + overlapMilliseconds);
      const apiKey: NewApiKey = { name, digest, lastFour, scopes, rateLimit, expiresAt };
      const replacement = create(old.workspaceName, apiKey, now);
      if (replacement === undefined) return 'no_such_key';
      const replaced = find(id) ?? old;
      const ending = { replaces: Number(id), replacedEndsAt: replaced.revokedAt ?? now };
      const details = { ...auditedApiKey(replacement, digest), ...ending };
      record({ at: now, event: 'api_key_rotated', details });
      return { replaced, replacement };
    },
    revokeApiKey({ id, now }: CommandInput<'revokeApiKey'>): CommandOutput<'revokeApiKey'> {
      if (revoke.run(id, now).changes > 0) {
        const details = { apiKeyId: Number(id), endsAt: now };
        record({ at: now, event: 'api_key_revoked', details });
      }
      return find(id);
    },
    recordApiKeyUses({ uses }: CommandInput<'recordApiKeyUses'>): null {
      for (const { apiKeyId, lastUsedAt, deprecatedCalls } of uses) {
        setLastUsedAt.run(apiKeyId, lastUsedAt);
        for (const { operationId, count, lastCalledAt } of deprecatedCalls) {
          addCalls.run(apiKeyId, operationId, count, lastCalledAt);
        }
      }
      return null;
    },
  };
}
