import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusMain } from '../parts/focus.ts';
import { MenuButton } from '../parts/menu.tsx';
import { foldedUndos, takeBack } from '../parts/notices.tsx';
import { noticeTexts as texts } from '../texts/undo.ts';

/** What can be undone, after its message was folded. */
export function UndoMenu() {
  const place = useRef<HTMLSpanElement>(null);
  const hadFocus = place.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    // The button goes with its last line.
    if (hadFocus) setTimeout(focusMain);
  });
  const items = foldedUndos.value.map((notice) => ({
    text: notice.text,
    id: notice.idempotencyKey,
    hint: texts.ago(Date.now() - notice.at),
    run: () => void takeBack(notice),
  }));
  return (
    <span ref={place} class="more">
      {items.length > 0 && (
        <MenuButton kind="quiet" name={texts.undoMenu} note={texts.undoHint} items={items}>
          {texts.undoMenu}
        </MenuButton>
      )}
    </span>
  );
}
