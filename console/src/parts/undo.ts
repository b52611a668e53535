import { signal } from '@preact/signals';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { isRetryable } from '../../../client/src/retry.ts';
import { type Api, messageOf } from '../api/service.ts';
import { noticeTexts as texts } from '../texts/undo.ts';

/** Takes a change back, once. */
export interface Undo {
  /** Of the change. In another session or workspace, the numbers can be those of other records. */
  readonly sessionApi: Api;
  /**
   * Sends the versions that the change left, so that what was changed since stays. Returns the message about it, or undefined if the
   * page shows the result elsewhere. If it changes nothing, it throws what it found. After a lost answer it is called again, so its
   * requests have the same keys each time.
   */
  readonly act: () => Promise<string | undefined>;
}

/** A result that can be undone. */
export interface UndoNotice {
  readonly text: string;
  readonly undo: Undo;
  readonly isRunning: boolean;
}

/** More would be older than what a user remembers. */
const undosMax = 20;

/** The oldest first. */
export const undoNotices = signal<readonly UndoNotice[]>([]);

export function offerUndo(text: string, undo: Undo): void {
  const notice = { text, undo, isRunning: false };
  undoNotices.value = [...undoNotices.peek(), notice].slice(-undosMax);
}

/** After the end of the session, or in another workspace, the numbers are those of other records. */
export function endUndos(): void {
  undoNotices.value = [];
}

/** The result of an Undo that runs is still shown. */
export function dismissUndos(): void {
  undoNotices.value = undoNotices.peek().filter(({ isRunning }) => isRunning);
}

/** Runs an Undo, and returns the message to show. It stays if the same requests can succeed later. */
export async function runUndo({
  text,
  undo,
  isRunning,
}: UndoNotice): Promise<{ readonly done?: string | undefined; readonly failure?: string }> {
  if (isRunning) return {};
  replaceNotice(undo, { text, undo, isRunning: true });
  const isShown = () => undoNotices.peek().some((one) => one.undo === undo);
  try {
    const done = await undo.act();
    if (!isShown()) return {};
    replaceNotice(undo);
    return { done };
  } catch (error) {
    if (!isShown()) return {};
    if (isAnimalStoreError(error) && isRetryable(error)) {
      replaceNotice(undo, { text, undo, isRunning: false });
    } else replaceNotice(undo);
    return { failure: texts.notUndone(text, messageOf(error)) };
  }
}

function replaceNotice(undo: Undo, ...by: readonly UndoNotice[]): void {
  undoNotices.value = undoNotices.peek().flatMap((one) => (one.undo === undo ? by : one));
}
