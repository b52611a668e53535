import { signal } from '@preact/signals';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { isRetryable } from '../../../client/src/retry.ts';
import { messageOf, newIdempotencyKey } from '../api/service.ts';
import { noticeTexts as texts } from '../texts/undo.ts';

/**
 * Takes a change back, once. It sends the versions that the change left, so that what was changed since stays. It returns the message
 * about it, or undefined if the page shows the result elsewhere. If it changes nothing, it throws what it found. After a lost answer
 * it is called again with the same key.
 */
export type Undo = (idempotencyKey: string) => Promise<string | undefined>;

/** A result that can be undone. */
export interface UndoNotice {
  readonly text: string;
  /** When it was done, in milliseconds since 1970. */
  readonly at: number;
  readonly undo: Undo;
  readonly idempotencyKey: string;
  readonly isRunning: boolean;
}

/** More would be older than what a user remembers. */
const undosMax = 20;

/** The oldest first. */
export const undoNotices = signal<readonly UndoNotice[]>([]);

export function offerUndo(text: string, undo: Undo): void {
  const idempotencyKey = newIdempotencyKey();
  const notice = { text, at: Date.now(), undo, idempotencyKey, isRunning: false };
  undoNotices.value = [...undoNotices.peek(), notice].slice(-undosMax);
}

/** After the end of the session, or in another workspace, the numbers are those of other records. */
export function endUndos(): void {
  undoNotices.value = [];
}

/** Runs an Undo, and returns the message to show. It stays if the same requests can succeed later. */
export async function runUndo(
  notice: UndoNotice,
): Promise<{ readonly done?: string | undefined; readonly failure?: string }> {
  const { text, undo, idempotencyKey, isRunning } = notice;
  if (isRunning) return {};
  replaceNotice(undo, { ...notice, isRunning: true });
  const isShown = () => undoNotices.peek().some((one) => one.undo === undo);
  try {
    const done = await undo(idempotencyKey);
    if (!isShown()) return {};
    replaceNotice(undo);
    return { done };
  } catch (error) {
    if (!isShown()) return {};
    const mayRetry = isAnimalStoreError(error) && isRetryable(error);
    replaceNotice(undo, ...(mayRetry ? [notice] : []));
    return { failure: texts.notUndone(text, messageOf(error)) };
  }
}

function replaceNotice(undo: Undo, ...by: readonly UndoNotice[]): void {
  undoNotices.value = undoNotices.peek().flatMap((one) => (one.undo === undo ? by : one));
}
