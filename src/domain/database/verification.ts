import type { AuditHead } from '../access/audit.ts';

/** What sound data holds. */
export interface StoredSummary {
  readonly animals: number;
  readonly workspaces: readonly WorkspaceIds[];
  readonly apiKeys: number;
  readonly audit: AuditHead;
}

export interface WorkspaceIds {
  readonly name: string;
  readonly animals: number;
  /** Every id below it may have been given out. */
  readonly nextId: number;
}

/** Enough of them: one cause often has many. */
export const faultsMax = 20;

/** What was found, and a line for each thing that damage can change unnoticed. */
export interface VerificationReport {
  readonly found: Verification;
  readonly notes: readonly string[];
}

/** What the data holds or, where it is damaged, a line for each thing wrong. */
export type Verification = StoredSummary | { readonly faults: readonly string[] };
