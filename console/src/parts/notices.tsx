import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { isRetryable } from '../../../client/src/retry.ts';
import { listen, type Update } from '../api/live.ts';
import { isOfLeftPage, messageOf } from '../api/service.ts';
import { currentApi } from '../api/session.ts';
import { common } from '../texts/common.ts';
import { noticeTexts as texts } from '../texts/undo.ts';
import { Button } from './controls.tsx';
import { focusMain } from './focus.ts';
import { EndNotice } from './session-end.tsx';
import { type Undo, watchRecords } from './undo.ts';

const shownMilliseconds = 10_000;

/** The last result without an Undo. The number makes screen readers read an equal text again. */
const result = signal({ text: '', number: 0 });
let timer: ReturnType<typeof setTimeout> | undefined;

/** A result that can be undone. */
interface UndoNotice {
  readonly text: string;
  readonly undo: Undo;
  readonly isEndedBy: ReturnType<typeof watchRecords>;
  readonly isRunning: boolean;
  /** Another user has changed its records since. The message stays, because its Undo was offered. */
  readonly isEnded: boolean;
}

/** The oldest first. One that has ended is the last. */
const undoNotices = signal<readonly UndoNotice[]>([]);

/** Failures after their dialog was closed. Each stays until it is dismissed. */
const failures = signal<readonly string[]>([]);

/**
 * Shows a result. With an Undo, it stays until its records change again. Announce the change itself before, because a change that is
 * announced later ends the Undo.
 */
export function showNotice(text: string, undo?: Undo): void {
  if (undo !== undefined) {
    // The answer came after another session or workspace was shown.
    if (undo.sessionApi !== currentApi()) return;
    const notice = { text, undo, isEndedBy: watchRecords(undo), isRunning: false, isEnded: false };
    undoNotices.value = [...undoNotices.peek().filter(({ isEnded }) => !isEnded), notice];
    // Otherwise a result that is older would be read as newer.
    hideResult();
    return;
  }
  result.value = { text, number: result.peek().number + 1 };
  clearTimeout(timer);
  timer = setTimeout(hideResult, shownMilliseconds);
}

export function showFailure(text: string): void {
  dismiss(text);
  failures.value = [...failures.peek(), text];
}

/** Shows why an action failed. */
export function showError(error: unknown): void {
  if (!isOfLeftPage(error)) showFailure(messageOf(error));
}

function hideResult(): void {
  result.value = { ...result.peek(), text: '' };
}

function dismiss(text: string): void {
  giveFocusBack(() => {
    failures.value = failures.peek().filter((one) => one !== text);
  });
}

/** After the end of the session, or in another workspace, the numbers are those of other records. */
export function endUndos(): void {
  undoNotices.value = [];
}

/** The result of an Undo that runs is still shown. */
function dismissUndos(): void {
  undoNotices.value = undoNotices.peek().filter(({ isRunning }) => isRunning);
}

/** Another owner sees none of them. */
export function clearNotices(): void {
  hideResult();
  endUndos();
  failures.value = [];
}

function updateNotice(undo: Undo, update: Partial<UndoNotice>): void {
  undoNotices.value = undoNotices
    .peek()
    .map((one) => (one.undo === undo ? { ...one, ...update } : one));
}

function removeNotice(undo: Undo): void {
  giveFocusBack(() => {
    undoNotices.value = undoNotices.peek().filter((one) => one.undo !== undo);
  });
}

/** Ends the Undos whose records an update changes. */
function endUndosBy(update: Update): void {
  const isOwn = update !== 'reset' && update.isOwn === true;
  for (const { undo, isRunning, isEnded, isEndedBy } of undoNotices.peek()) {
    if (isRunning || isEnded || !isEndedBy(update)) continue;
    // If an older message took its place, Ctrl+Z would take back another change than the user has seen last.
    const isNewest = undoNotices.peek().at(-1)?.undo === undo;
    if (isNewest && !isOwn) giveFocusBack(() => updateNotice(undo, { isEnded: true }));
    else removeNotice(undo);
  }
}

async function runUndo({ text, undo, isRunning, isEnded }: UndoNotice): Promise<void> {
  if (isRunning || isEnded) return;
  updateNotice(undo, { isRunning: true });
  const isShown = () => undoNotices.peek().some((one) => one.undo === undo);
  try {
    const done = await undo.act();
    if (!isShown()) return;
    removeNotice(undo);
    if (done !== undefined) showNotice(done);
  } catch (error) {
    if (!isShown()) return;
    if (isAnimalStoreError(error) && isRetryable(error)) updateNotice(undo, { isRunning: false });
    else removeNotice(undo);
    showFailure(texts.notUndone(text, messageOf(error)));
  }
}

const textFields = 'select, textarea, input:not([type=checkbox])';

/** Ctrl+Z outside of text fields and dialogs runs the newest Undo. */
function onKeyDown(event: KeyboardEvent): void {
  const { target, key, ctrlKey, metaKey, shiftKey, altKey } = event;
  const isUndo = key.toLowerCase() === 'z' && ctrlKey !== metaKey && !shiftKey && !altKey;
  const isField = target instanceof Element && target.matches(textFields);
  const newest = undoNotices.peek().at(-1);
  if (!isUndo || isField || newest === undefined) return;
  if (document.querySelector('dialog:modal') !== null) return;
  event.preventDefault();
  // A key that is held takes back one change.
  if (!event.repeat) void runUndo(newest);
}

/** The control that had the focus before a notice. It gets the focus back when the notice goes. */
let focusBefore: HTMLElement | undefined;

function noteFocusBefore({ relatedTarget }: FocusEvent): void {
  if (!(relatedTarget instanceof HTMLElement) || relatedTarget.closest('.notices')) return;
  focusBefore = relatedTarget;
}

/** Removes a notice. If it has the focus, the control before it gets the focus. */
function giveFocusBack(remove: () => void): void {
  const hadFocus = document.activeElement?.closest('.notices') !== null;
  remove();
  if (!hadFocus) return;
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    if (focusBefore?.isConnected === true) focusBefore.focus();
    else focusMain();
  });
}

export function Notices() {
  useEffect(() => {
    const stopListening = listen(endUndosBy);
    addEventListener('keydown', onKeyDown);
    return () => {
      stopListening();
      removeEventListener('keydown', onKeyDown);
    };
  }, []);
  const { text, number } = result.value;
  return (
    <div class="notices" onFocusIn={noteFocusBefore}>
      <EndNotice />
      <div role="alert">
        {failures.value.map((failure) => (
          <div class="notice" key={failure}>
            <p>{failure}</p>
            <Button onClick={() => dismiss(failure)}>{common.dismiss}</Button>
          </div>
        ))}
      </div>
      <div role="status">
        {text !== '' && (
          <div class="notice" key={number}>
            <p>{text}</p>
          </div>
        )}
      </div>
      <UndoNotices />
    </div>
  );
}

/** The newest result that can be undone. A button shows the earlier ones. */
function UndoNotices() {
  const isOpen = useSignal(false);
  const all = undoNotices.value;
  const newestFirst = [...all].reverse();
  const earlierCount = all.length - 1;
  const shown = isOpen.value ? newestFirst : newestFirst.slice(0, 1);
  return (
    <div role="status" aria-atomic="false">
      {shown.map((notice, index) => (
        <div class="notice" key={notice.undo}>
          <p>{notice.isEnded ? texts.ended(notice.text) : notice.text}</p>
          {!notice.isEnded && (
            <Button
              label={texts.undoOf(notice.text)}
              aria-disabled={notice.isRunning}
              aria-keyshortcuts={index === 0 ? 'Control+Z Meta+Z' : undefined}
              onClick={() => void runUndo(notice)}
            >
              {notice.isRunning ? texts.undoing : texts.undo}
            </Button>
          )}
          {index === 0 && earlierCount > 0 && (
            <Button
              aria-expanded={isOpen.value}
              onClick={() => {
                isOpen.value = !isOpen.peek();
              }}
            >
              {texts.earlier(earlierCount)}
            </Button>
          )}
          {index === 0 && (
            <Button onClick={() => giveFocusBack(dismissUndos)}>{common.dismiss}</Button>
          )}
        </div>
      ))}
    </div>
  );
}
