import { background } from '../../src/context/context.ts';
import type { ApiKey } from '../../src/domain/access/api-key.ts';
import type { AuditEntry } from '../../src/domain/access/audit-entry.ts';
import type { WorkspaceSummary } from '../../src/domain/access/workspace.ts';
import type { Reads } from '../../src/storage/contract/reads-and-commands.ts';

// Complete lists, because a test has few records.

const page = { limit: 1000 };

/** Oldest first. */
export async function readApiKeys(reads: Reads, workspaceId?: bigint): Promise<readonly ApiKey[]> {
  return (await reads.listApiKeys(background, page, workspaceId)).items.toReversed();
}

/** Oldest first. */
export async function readAuditTrail(reads: Reads): Promise<readonly AuditEntry[]> {
  return (await reads.listAuditEntries(background, page)).items.toReversed();
}

/** By name. `now` decides which keys are active. */
export async function readWorkspaces(
  reads: Reads,
  now: number,
): Promise<readonly WorkspaceSummary[]> {
  return (await reads.listWorkspaces(background, page, now)).items;
}
