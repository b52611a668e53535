import { continueTrail, readAuditHead, readTrail, recordAudit, type Trail } from './audit.ts';
import { type CounterValues, raiseCounters, raiseCountersTo, readCounters } from './counters.ts';
import type { Session, Transaction } from './session.ts';
import { statement } from './statement.ts';

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
const selectMadeAt = statement<{ at: number }>(
  'SELECT created_at AS at FROM workspaces WHERE id = 1',
  ['at'],
);

export async function readReplaced(session: Session): Promise<Replaced> {
  return {
    animals: await unlessDamaged(async () => (await session.all(countAnimals))[0]?.count),
    ids: await unlessDamaged(async () => ({
      madeAt: (await session.all(selectMadeAt))[0]?.at ?? -1,
      counters: await readCounters(session),
    })),
    trail: await unlessDamaged(() => readTrail(session)),
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

export interface RestoreOptions {
  readonly replaced: Replaced;
  /** More than the ids of any kind that were given out since the backup, where the replaced data cannot tell. */
  readonly idGap: number;
  readonly backup: { readonly madeAt: string; readonly sha256: string };
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a restore could go by. */
export interface RestoreOutcome {
  /**
   * Whether what was replaced tells which ids were given out since the backup: the data of the backup, at a later time, does;
   * other data, or what cannot be read, does not.
   */
  readonly replaced: 'same' | 'other' | 'unreadable';
  /** Whether all that the audit trail of the replaced data told is in that of the restored one. */
  readonly auditTrailWasKept: boolean;
}

/** Makes restored data ready for use: no id is given out again, and the audit trail goes on and tells of the restore. */
export async function finishRestore(
  transaction: Transaction,
  { replaced: { ids, trail }, idGap, backup, now }: RestoreOptions,
): Promise<RestoreOutcome> {
  const [made] = await transaction.all(selectMadeAt);
  const isSame = ids !== undefined && ids.madeAt === made?.at;
  if (isSame) await raiseCountersTo(transaction, ids.counters);
  else await raiseCounters(transaction, idGap);
  const { count: entryCount } = await readAuditHead(transaction);
  const wasKept = trail !== undefined && (await continueTrail(transaction, trail));
  const details = { ...backup, entryCount };
  await recordAudit(transaction, { at: now, event: 'backup_restored', details });
  return {
    replaced: ids === undefined ? 'unreadable' : isSame ? 'same' : 'other',
    auditTrailWasKept: wasKept,
  };
}
