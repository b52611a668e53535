import {
  addAuditEntry,
  continuesTrail,
  continueTrail,
  readAuditHead,
} from '../access/audit-trail.ts';
import { resetFeeds } from '../feed/event-feed.ts';
import type { Queryable, Transaction } from '../queryable.ts';
import { raiseCounters, raiseCountersTo, readCounters } from '../records/counters.ts';
import { statement } from '../statement.ts';

const countAnimals = statement<{ count: number }>('SELECT count(*) AS count FROM pets', ['count']);

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

/** Whether an error shows that the data itself is damaged. Others, such as a lock, must not lead to a loss of data. */
type IsDamage = (error: unknown) => boolean;

/** What was read of the data that a restore replaces. A part that cannot be read is undefined. */
export type Replaced = Partial<Awaited<ReturnType<typeof readReplaced>>>;

export async function readReplaced(queryable: Queryable, isDamage: IsDamage) {
  return {
    animals: await unlessDamaged(
      async () => (await queryable.all(countAnimals))[0]?.count,
      isDamage,
    ),
    ids: await unlessDamaged(
      async () => ({
        createdAt: await readCreatedAt(queryable),
        counters: await readCounters(queryable),
      }),
      isDamage,
    ),
  };
}

/** Returns undefined if the data is damaged, because that can be why it is replaced. */
async function unlessDamaged<Result>(
  read: () => Promise<Result>,
  isDamage: IsDamage,
): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

export interface RestoredBackup {
  readonly madeAt: string;
  readonly sha256: string;
}

/**
 * Adds the later entries of the replaced data to the audit trail of restored data, and an entry of the restore. Returns whether
 * all entries of the replaced data are in it. Call it before a migration, which adds to the trail.
 */
export async function continueRestoredTrail(
  transaction: Transaction,
  replaced: Queryable | undefined,
  backup: RestoredBackup,
  { now, isDamage }: { readonly now: number; readonly isDamage: IsDamage },
): Promise<boolean> {
  const present = await readAuditHead(transaction);
  const wasKept =
    replaced !== undefined &&
    (await unlessDamaged(() => continuesTrail(present, replaced), isDamage)) === true;
  if (wasKept) await continueTrail(transaction, replaced);
  const details = { ...backup, entryCount: present.count };
  await addAuditEntry(transaction, now, 'backup_restored', details);
  return wasKept;
}

/**
 * The kind of the replaced data. Only a later state of the same data shows which ids were assigned since the backup. It shows only a
 * part of them if it lacks acknowledged writes.
 */
type ReplacedKind = 'same' | 'lacking' | 'other' | 'unreadable';

interface RaiseOptions {
  readonly idGap: number;
  readonly now: number;
  /** Whether the replaced data lacks acknowledged writes, so that its counters are too low. */
  readonly isLacking?: boolean;
  /** The highest counter of an earlier restore to the same place; 0 if there was none. */
  readonly idMax: bigint;
}

/**
 * Raises the counters of restored data, so that no id is assigned twice: to those of the replaced data and, if that is not the
 * same data or lacks writes, by a gap that is larger than the number of ids assigned since the backup. Adds an event to every feed.
 */
export async function raiseRestoredCounters(
  transaction: Transaction,
  { ids }: Replaced,
  { idGap, now, isLacking = false, idMax }: RaiseOptions,
): Promise<ReplacedKind> {
  const isSame =
    ids?.createdAt !== undefined && ids.createdAt === (await readCreatedAt(transaction));
  if (isSame) await raiseCountersTo(transaction, ids.counters);
  if (!isSame || isLacking) await raiseCounters(transaction, idGap, idMax);
  // Without replaced data and without a gap, nothing was lost: the data moves to another machine.
  if (ids !== undefined || idGap > 0) await resetFeeds(transaction, now);
  if (isSame) return isLacking ? 'lacking' : 'same';
  return ids === undefined ? 'unreadable' : 'other';
}
