import type { AuditHead } from '../../domain/access/audit.ts';
import { readAuditHead } from '../access/audit.ts';
import type { Queryable } from '../queryable.ts';
import { statement } from '../statement.ts';

/** Identifies a state of data by a few rows. Each value changes in the transaction that changes its records. */
export interface DataState {
  /** The result of `readCreatedAt`, or -1 in damaged data. */
  readonly createdAt: number;
  readonly audit: AuditHead;
  readonly workspaces: readonly WorkspaceState[];
}

interface WorkspaceState {
  readonly id: bigint;
  /** Rises with each change of its records. */
  readonly version: bigint;
}

// The first workspace is never deleted, and its time is copied.
const selectCreatedAt = statement<{ at: number }>(
  'SELECT created_at AS at FROM workspaces WHERE id = 1',
  ['at'],
);

/**
 * Returns when the first workspace was created, in milliseconds since 1970, which identifies a database. Undefined in damaged
 * data.
 */
export async function readCreatedAt(queryable: Queryable): Promise<number | undefined> {
  return (await queryable.all(selectCreatedAt))[0]?.at;
}

const selectWorkspaces = statement<WorkspaceState>('SELECT id, version FROM workspaces');

export async function readDataState(queryable: Queryable): Promise<DataState> {
  return {
    createdAt: (await readCreatedAt(queryable)) ?? -1,
    audit: await readAuditHead(queryable),
    workspaces: await queryable.all(selectWorkspaces),
  };
}

/** Whether a copy can be the data at some moment from `earlier` to `later`. Without writes in between, it is exactly that. */
export function isBetween(copy: DataState, earlier: DataState, later: DataState): boolean {
  return (
    copy.createdAt === earlier.createdAt &&
    isNotAfter(earlier.audit, copy.audit) &&
    isNotAfter(copy.audit, later.audit) &&
    areWithin(copy.workspaces, earlier.workspaces, later.workspaces)
  );
}

function isNotAfter(earlier: AuditHead, later: AuditHead): boolean {
  return (
    earlier.count < later.count ||
    (earlier.count === later.count && earlier.digest === later.digest)
  );
}

/** A workspace that only one of the two moments has was created or deleted between them. */
function areWithin(
  copy: readonly WorkspaceState[],
  earlier: readonly WorkspaceState[],
  later: readonly WorkspaceState[],
): boolean {
  const versions = new Map(copy.map(({ id, version }) => [id, version]));
  const versionsLater = new Map(later.map(({ id, version }) => [id, version]));
  return earlier.every(({ id, version: min }) => {
    const max = versionsLater.get(id);
    if (max === undefined) return true;
    const version = versions.get(id);
    return version !== undefined && min <= version && version <= max;
  });
}
