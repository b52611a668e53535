import type { Change, Update } from '../api/live.ts';
import { type Api, isOwnRequest } from '../api/service.ts';

type Kind = 'pet' | 'order' | 'category';

/** A record as a change left it. */
interface UndoRecord {
  readonly kind: Kind;
  readonly id: bigint;
  /** Undefined if the change deleted it. */
  readonly data: object | undefined;
}

/** Takes a change back, once. */
export interface Undo {
  /** Of the change. In another session or workspace, the numbers can be those of other records. */
  readonly sessionApi: Api;
  /** All records of the change. The Undo ends when one of them changes again. */
  readonly records: readonly UndoRecord[];
  /** Each record is taken back by itself, so that the Undo ends only when all of them have changed again. */
  readonly isForEach?: boolean;
  /**
   * Returns the message about it, or undefined if the page shows the result elsewhere. If it changes nothing, it throws what it
   * found. After a lost answer it is called again, so its requests have the same keys each time.
   */
  readonly act: () => Promise<string | undefined>;
}

/** Returns a function that applies an update, and returns whether it ends the Undo. */
export function watchRecords({ records, isForEach = false }: Undo): (update: Update) => boolean {
  const remaining = new Map<string, object | undefined>();
  for (const { kind, id, data } of records) remaining.set(`${kind}:${id}`, data);
  return (update) => {
    // Events that are missing are found by the versions that an Undo sends.
    if (update === 'reset') return false;
    // This page announced its change already. A later event is older than the next change of the page.
    if (update.isOwn !== true && isOwnRequest(update.event.requestId)) return false;
    const { event, isOwn = false } = update;
    const [kind = ''] = event.type.split('.');
    const key = `${kind}:${'id' in event.data ? event.data.id : ''}`;
    if (!remaining.has(key)) return false;
    const left = remaining.get(key);
    if (isSameState(left, stateAfter(event), isOwn)) return false;
    // The event of another user can arrive late, and be older than the change of this page.
    if (!isOwn && !isSameState(left, stateBefore(event), isOwn)) return false;
    remaining.delete(key);
    return !isForEach || remaining.size === 0;
  };
}

function stateAfter({ type, data }: Change): object | undefined {
  return type.endsWith('.deleted') ? undefined : data;
}

function stateBefore({ type, data, previous = {} }: Change): object | undefined {
  return type.endsWith('.created') ? undefined : { ...data, ...previous };
}

function isSameState(
  left: object | undefined,
  right: object | undefined,
  hasNote: boolean,
): boolean {
  if (left === undefined || right === undefined) return left === right;
  return membersOf(left, hasNote) === membersOf(right, hasNote);
}

/** The event of an order has no note. */
function membersOf(record: object, hasNote: boolean): string {
  return Object.entries(record)
    .filter(([name, value]) => (value ?? undefined) !== undefined && (hasNote || name !== 'note'))
    .map(([name, value]) => `${name} ${value}`)
    .sort()
    .join('\n');
}
