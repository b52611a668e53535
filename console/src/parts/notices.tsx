import { computed, signal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { isOfLeftPage, messageOf } from '../api/service.ts';
import { common } from '../texts/common.ts';
import { noticeTexts as texts } from '../texts/undo.ts';
import { Button } from './controls.tsx';
import { focusMain } from './focus.ts';
import { EndNotice } from './session-end.tsx';
import { hasLetter } from './shortcut.ts';
import { endUndos, offerUndo, runUndo, type Undo, type UndoNotice, undoNotices } from './undo.ts';

const shownMilliseconds = 10_000;

/** The last result without an Undo. The number makes screen readers read an equal text again. */
const result = signal({ text: '', number: 0 });
let timer: ReturnType<typeof setTimeout> | undefined;

/** Failures after their dialog was closed. Each stays until it is dismissed. */
const failures = signal<readonly string[]>([]);

/** Shows a result for a while. Its Undo stays in the header until it is used, or many newer ones follow. */
export function showNotice(text: string, undo?: Undo): void {
  if (undo !== undefined) {
    offerUndo(text, undo);
    showUndo(undo);
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
  failures.value = failures.peek().filter((one) => one !== text);
}

/** Another owner sees none of them. */
export function clearNotices(): void {
  hideResult();
  foldUndo();
  endUndos();
  failures.value = [];
}

/** The Undo whose result is in sight. After a while, it is only in the menu of the header. */
const shownUndo = signal<Undo | undefined>(undefined);
let foldTimer: ReturnType<typeof setTimeout> | undefined;

function showUndo(undo: Undo): void {
  shownUndo.value = undo;
  clearTimeout(foldTimer);
  foldTimer = setTimeout(() => {
    // The user is about to use it.
    const isInUse =
      document.querySelector('.undoable:hover') ?? document.activeElement?.closest('.undoable');
    if (isInUse) showUndo(undo);
    else foldUndo();
  }, shownMilliseconds);
}

function foldUndo(): void {
  clearTimeout(foldTimer);
  shownUndo.value = undefined;
}

const isInSight = ({ undo, isRunning }: UndoNotice) => isRunning || undo === shownUndo.value;

/** The results that can be undone and are out of sight, the newest first. */
export const foldedUndos = computed(() =>
  undoNotices.value.filter((notice) => !isInSight(notice)).reverse(),
);

export async function takeBack(notice: UndoNotice, isByKey = false): Promise<void> {
  showUndo(notice.undo);
  const { done, failure } = await runUndo(notice);
  // By a key, it can be a change that the user no longer thinks of.
  if (done !== undefined) showNotice(isByKey ? texts.tookBack(notice.text, done) : done);
  if (failure !== undefined) showFailure(failure);
}

const textFields = 'select, textarea, input:not([type=checkbox])';

/** Ctrl+Z outside of text fields and dialogs runs the newest Undo. */
function onKeyDown(event: KeyboardEvent): void {
  const { target, ctrlKey, metaKey, shiftKey, altKey } = event;
  const isUndo = hasLetter(event, 'z') && ctrlKey !== metaKey && !shiftKey && !altKey;
  const isField = target instanceof Element && target.matches(textFields);
  const newest = undoNotices.peek().at(-1);
  if (!isUndo || isField || newest === undefined) return;
  if (document.querySelector('dialog:modal') !== null) return;
  event.preventDefault();
  // A key that is held takes back one change.
  if (!event.repeat) void takeBack(newest, true);
}

/** The control that had the focus before a notice. It gets the focus back when the notice goes. */
let focusBefore: HTMLElement | undefined;

function noteFocusBefore({ relatedTarget }: FocusEvent): void {
  if (!(relatedTarget instanceof HTMLElement) || relatedTarget.closest('.notices')) return;
  focusBefore = relatedTarget;
}

/** When a notice goes that has the focus, the control before it gets the focus. */
function useFocusReturn(): void {
  const hadFocus = Boolean(document.activeElement?.closest('.notices'));
  useLayoutEffect(() => {
    if (!hadFocus || document.activeElement !== document.body) return;
    // The control can go with the same change.
    setTimeout(() => {
      if (document.activeElement !== document.body) return;
      if (focusBefore?.isConnected === true) focusBefore.focus();
      else focusMain();
    });
  });
}

export function Notices() {
  useFocusReturn();
  useEffect(() => {
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
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

/** The result that can be undone, until it is folded. */
function UndoNotices() {
  useFocusReturn();
  const newest = undoNotices.value.at(-1);
  return (
    <div role="status" aria-atomic="false">
      {undoNotices.value.filter(isInSight).map((notice) => (
        <div class="notice undoable" key={notice.undo}>
          <p>{notice.text}</p>
          <Button
            label={texts.undoOf(notice.text)}
            aria-disabled={notice.isRunning}
            aria-keyshortcuts={notice === newest ? 'Control+Z Meta+Z' : undefined}
            onClick={() => void takeBack(notice)}
          >
            {notice.isRunning ? texts.undoing : texts.undo}
          </Button>
          <Button onClick={foldUndo}>{common.dismiss}</Button>
        </div>
      ))}
    </div>
  );
}
