import type { AuditHead } from '../../domain/access/audit-entry.ts';

/** A summary of intact data. */
export interface StoredSummary {
  readonly animals: number;
  readonly workspaces: readonly WorkspaceIds[];
  readonly apiKeys: number;
  readonly audit: AuditHead;
}

export interface WorkspaceIds {
  readonly name: string;
  readonly animals: number;
  /** Every lower id may be assigned. */
  readonly nextId: number;
}

/** One cause often has many faults. */
export const faultsMax = 20;

/** A summary of intact data, or a line for each fault. */
export type Verification = StoredSummary | { readonly faults: readonly string[] };
