import {
  continueTrail,
  readAuditHead,
  readTrail,
  recordAudit,
  type Trail,
} from '../access/audit.ts';
import { resetFeeds } from '../feed/events.ts';
import type { Queryable, Transaction } from '../queryable.ts';
import {
  type CounterValues,
  raiseCounters,
  raiseCountersTo,
  readCounters,
} from '../records/counters.ts';
import { statement } from '../statement.ts';

/** What the data that a restore replaces tells: each part where it can be read. */
export interface Replaced {
  readonly animals?: number | undefined;
  readonly ids?: ReplacedIds | undefined;
  readonly trail?: Trail | undefined;
}

interface ReplacedIds {
  /** When its first workspace was made, by which data is known. */
  readonly madeAt: number;
  readonly counters: CounterValues;
}

const countAnimals = statement<{ count: number }>('SELECT count(*) AS count FROM pets', ['count']);

// Never deleted, and copied with its time.
export const selectCreatedAt = statement<{ at: number }>(
  'SELECT created_at AS at FROM workspaces WHERE id = 1',
  ['at'],
);

export async function readReplaced(queryable: Queryable): Promise<Replaced> {
  return {
    animals: await unlessDamaged(async () => (await queryable.all(countAnimals))[0]?.count),
    ids: await unlessDamaged(async () => ({
      madeAt: (await queryable.all(selectCreatedAt))[0]?.at ?? -1,
      counters: await readCounters(queryable),
    })),
    trail: await unlessDamaged(() => readTrail(queryable)),
  };
}

/** Undefined where it cannot be read: damage may be why the data is replaced. */
async function unlessDamaged<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

export interface RestoredBackup {
  readonly madeAt: string;
  readonly sha256: string;
}

/**
 * Lets the audit trail of restored data go on, and tell of the restore; true where all that the replaced data told is in it. To
 * be done before a migration, which adds to the trail.
 */
export async function continueRestoredTrail(
  transaction: Transaction,
  { trail }: Replaced,
  backup: RestoredBackup,
  now: number,
): Promise<boolean> {
  const { count: entryCount } = await readAuditHead(transaction);
  const wasKept = trail !== undefined && (await continueTrail(transaction, trail));
  const details = { ...backup, entryCount };
  await recordAudit(transaction, { at: now, event: 'backup_restored', details });
  return wasKept;
}

/**
 * Whether what was replaced tells which ids were given out since the backup: the data of the backup, at a later time, does; other
 * data, or what cannot be read, does not.
 */
export type ReplacedKind = 'same' | 'other' | 'unreadable';

/**
 * Raises the counters of restored data, so that no id is given out again: above those of the replaced data or, where that cannot
 * tell, by a gap of more than the ids of any kind that were given out since the backup. The feeds tell of it.
 */
export async function raiseRestoredCounters(
  transaction: Transaction,
  { ids }: Replaced,
  { idGap, now }: { readonly idGap: number; readonly now: number },
): Promise<ReplacedKind> {
  const [made] = await transaction.all(selectCreatedAt);
  const isSame = ids !== undefined && ids.madeAt === made?.at;
  if (isSame) await raiseCountersTo(transaction, ids.counters);
  else await raiseCounters(transaction, idGap);
  // Where nothing is replaced and no gap is wanted, nothing was lost: data that moves to another machine.
  if (ids !== undefined || idGap > 0) await resetFeeds(transaction, now);
  if (isSame) return 'same';
  return ids === undefined ? 'unreadable' : 'other';
}
