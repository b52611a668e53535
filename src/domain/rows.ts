// Rows as every engine reads them, with integers as they are stored, and what they stand for.

import { type ApiKey, scopes as allScopes } from './api-key.ts';
import type { AuditEntry, StoredApiKey } from './audit.ts';
import type { DeprecatedCalls, WorkspaceSummary } from './database.ts';
import type { Int64 } from './int64.ts';
import { parseRateLimit } from './rate-limit.ts';
import type { Workspace } from './workspace.ts';

export interface ApiKeyRow {
  readonly id: Int64;
  readonly workspaceId: Int64;
  readonly workspaceName: string;
  readonly name: string;
  readonly lastFour: string;
  readonly scopes: string;
  readonly rateLimit: string | null;
  readonly createdAt: bigint;
  readonly expiresAt: bigint | null;
  readonly revokedAt: bigint | null;
  readonly isRevoked: bigint;
  readonly lastUsedAt: bigint | null;
}

export function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    workspaceId: row.workspaceId,
    workspaceName: row.workspaceName,
    name: row.name,
    lastFour: row.lastFour,
    scopes: allScopes.filter((scope) => row.scopes.split(' ').includes(scope)),
    rateLimit: row.rateLimit === null ? undefined : parseRateLimit(row.rateLimit),
    createdAt: Number(row.createdAt),
    expiresAt: toNumber(row.expiresAt) ?? undefined,
    revokedAt: toNumber(row.revokedAt) ?? undefined,
    isRevoked: row.isRevoked === 1n,
    lastUsedAt: toNumber(row.lastUsedAt) ?? undefined,
  };
}

export interface DeprecatedCallsRow {
  readonly apiKeyId: Int64;
  readonly apiKeyName: string | null;
  readonly workspaceName: string | null;
  readonly operationId: string;
  readonly count: bigint;
  readonly lastCalledAt: bigint;
}

export function toDeprecatedCalls(row: DeprecatedCallsRow): DeprecatedCalls {
  const { apiKeyId, apiKeyName: name, workspaceName, operationId } = row;
  return {
    apiKeyId,
    apiKey: name === null || workspaceName === null ? undefined : { name, workspaceName },
    operationId,
    count: Number(row.count),
    lastCalledAt: Number(row.lastCalledAt),
  };
}

export interface WorkspaceRow {
  readonly id: Int64;
  readonly name: string;
  readonly createdAt: bigint;
}

export interface WorkspaceSummaryRow extends WorkspaceRow {
  readonly petCount: bigint;
  readonly activeApiKeyCount: bigint;
}

export function toWorkspace(row: WorkspaceRow): Workspace {
  return { id: row.id, name: row.name, createdAt: Number(row.createdAt) };
}

export function toWorkspaceSummary(row: WorkspaceSummaryRow): WorkspaceSummary {
  return {
    ...toWorkspace(row),
    petCount: Number(row.petCount),
    activeApiKeyCount: Number(row.activeApiKeyCount),
  };
}

export interface AuditEntryRow {
  readonly id: bigint;
  readonly at: bigint;
  readonly actor: string;
  readonly event: string;
  readonly details: string;
  readonly digest: string;
}

export function toAuditEntry(row: AuditEntryRow): AuditEntry {
  return { ...row, id: Number(row.id), at: Number(row.at) };
}

export interface StoredApiKeyRow {
  readonly apiKeyId: bigint;
  readonly workspace: string;
  readonly name: string;
  readonly digest: string;
  readonly lastFour: string;
  readonly scopes: string;
  readonly rateLimit: string | null;
  readonly expiresAt: bigint | null;
  readonly revokedAt: bigint | null;
}

export function toStoredApiKey(row: StoredApiKeyRow): StoredApiKey {
  return {
    ...row,
    apiKeyId: Number(row.apiKeyId),
    expiresAt: toNumber(row.expiresAt),
    revokedAt: toNumber(row.revokedAt),
  };
}

function toNumber(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}
