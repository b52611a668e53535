import { signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { isOfLeftPage, messageOf } from '../api/service.ts';
import { common } from '../texts/common.ts';
import { noticeTexts as texts } from '../texts/undo.ts';
import { Button } from './controls.tsx';
import { focusMain } from './focus.ts';
import { EndNotice } from './session-end.tsx';
import { hasLetter } from './shortcut.ts';
import {
  dismissUndos,
  endUndos,
  offerUndo,
  runUndo,
  type Undo,
  type UndoNotice,
  undoNotices,
} from './undo.ts';

const shownMilliseconds = 10_000;

/** The last result without an Undo. The number makes screen readers read an equal text again. */
const result = signal({ text: '', number: 0 });
let timer: ReturnType<typeof setTimeout> | undefined;

/** Failures after their dialog was closed. Each stays until it is dismissed. */
const failures = signal<readonly string[]>([]);

/** Shows a result. With an Undo, it stays until it is used or dismissed, or many newer ones follow. */
export function showNotice(text: string, undo?: Undo): void {
  if (undo !== undefined) {
    offerUndo(text, undo);
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
  endUndos();
  failures.value = [];
}

async function takeBack(notice: UndoNotice): Promise<void> {
  const { done, failure } = await runUndo(notice);
  if (done !== undefined) showNotice(done);
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
  if (!event.repeat) void takeBack(newest);
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

/** The newest result that can be undone. A button shows the earlier ones. */
function UndoNotices() {
  useFocusReturn();
  const isOpen = useSignal(false);
  const all = undoNotices.value;
  const newestFirst = [...all].reverse();
  const earlierCount = all.length - 1;
  const shown = isOpen.value ? newestFirst : newestFirst.slice(0, 1);
  return (
    <div role="status" aria-atomic="false">
      {shown.map((notice, index) => (
        <div class="notice" key={notice.undo}>
          <p>{notice.text}</p>
          <Button
            label={texts.undoOf(notice.text)}
            aria-disabled={notice.isRunning}
            aria-keyshortcuts={index === 0 ? 'Control+Z Meta+Z' : undefined}
            onClick={() => void takeBack(notice)}
          >
            {notice.isRunning ? texts.undoing : texts.undo}
          </Button>
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
          {index === 0 && <Button onClick={dismissUndos}>{common.dismiss}</Button>}
        </div>
      ))}
    </div>
  );
}
