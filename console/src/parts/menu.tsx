import { useSignal } from '@preact/signals';
import type { ComponentProps } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './controls.tsx';
import { hasLetter } from './shortcut.ts';

/** One line of a menu. The label is what a screen reader says, if the text does not name its record. */
export interface MenuItem {
  readonly text: string;
  readonly label?: string | undefined;
  /** Tells it from lines with the same text. */
  readonly id?: string;
  readonly hint?: string;
  /** The key that runs it, also without the menu. */
  readonly letter?: string | undefined;
  /** Whether it is on, for a line that switches something. */
  readonly isOn?: boolean;
  /** A line that leads to a page. Otherwise, it runs something. */
  readonly to?: { readonly address: string; readonly isShown: boolean };
  readonly run?: () => void;
}

/** Pixels between a menu and its control, and the edges of the window. */
const gap = 4;

/**
 * A menu beside the control that opens it. It is a modal dialog, because those are above all scrollers, keep the focus, and give it
 * back. Arrow keys, Home and End move, and the letter of a line runs it.
 */
function Menu(props: {
  readonly label: string;
  /** A text above the lines. */
  readonly note: string | undefined;
  readonly items: readonly MenuItem[];
  readonly opener: HTMLElement | null;
  readonly onClose: () => void;
}) {
  const { label, note, items, opener, onClose } = props;
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    current.showModal();
    if (opener !== null) placeBeside(current, opener);
    // It would stay behind its control.
    addEventListener('resize', onClose);
    addEventListener('wheel', onClose);
    return () => {
      removeEventListener('resize', onClose);
      removeEventListener('wheel', onClose);
      // While it is open, nothing behind it can get the focus.
      current.close();
      opener?.focus();
    };
  }, []);
  function run(item: MenuItem): void {
    onClose();
    // After the menu has given the focus back, which a dialog remembers.
    if (item.run !== undefined) queueMicrotask(item.run);
  }
  function onKeyDown(event: KeyboardEvent): void {
    const { key, altKey, ctrlKey, metaKey } = event;
    event.stopPropagation();
    if (altKey || ctrlKey || metaKey) return;
    if (key === 'Tab') onClose();
    const lines = [...(element.current?.querySelectorAll<HTMLElement>(lineSelector) ?? [])];
    const index = lines.findIndex((line) => line.matches(':focus'));
    const places: Readonly<Record<string, number>> = {
      ArrowDown: (index + 1) % lines.length,
      ArrowUp: index - 1,
      Home: 0,
      End: -1,
    };
    const place = places[key];
    const chosen = items.find(({ letter }) => letter !== undefined && hasLetter(event, letter));
    if (place !== undefined) lines.at(place)?.focus();
    else if (chosen?.run !== undefined) run(chosen);
    else return;
    event.preventDefault();
  }
  return (
    <dialog
      ref={element}
      class="menu"
      aria-label={label}
      onClose={onClose}
      onKeyDown={onKeyDown}
      onDblClick={(event) => event.stopPropagation()}
      onClick={(event) => {
        event.stopPropagation();
        // Outside of the lines is the backdrop.
        if (event.target === element.current) onClose();
      }}
    >
      {note !== undefined && <p>{note}</p>}
      <div role="menu" aria-label={label}>
        {items.map((item) => (
          <MenuLine key={item.id ?? item.text} item={item} onChoose={() => run(item)} />
        ))}
      </div>
    </dialog>
  );
}

const lineSelector = '[role^="menuitem"]';

function MenuLine({ item, onChoose }: { readonly item: MenuItem; readonly onChoose: () => void }) {
  const { text, label, hint, letter, isOn, to } = item;
  if (to !== undefined) {
    return (
      <a
        role="menuitem"
        href={to.address}
        aria-current={to.isShown ? 'page' : undefined}
        onClick={onChoose}
      >
        {text}
      </a>
    );
  }
  return (
    <button
      type="button"
      {...(isOn === undefined
        ? { role: 'menuitem' }
        : { role: 'menuitemcheckbox', 'aria-checked': isOn })}
      aria-label={label}
      aria-keyshortcuts={letter}
      onClick={onChoose}
    >
      {text}
      {hint !== undefined && <small>{hint}</small>}
      {letter !== undefined && <kbd aria-hidden>{letter}</kbd>}
    </button>
  );
}

/** A button that opens a menu, of the same name unless it has a label of its own. */
export function MenuButton({
  name,
  note,
  items,
  ...rest
}: ComponentProps<typeof Button> & {
  readonly name: string;
  readonly note?: string | undefined;
  readonly items: readonly MenuItem[];
}) {
  const isOpen = useSignal(false);
  const place = useRef<HTMLSpanElement>(null);
  return (
    <span ref={place} class="more">
      <Button
        {...rest}
        aria-haspopup="menu"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = true;
        }}
      />
      {isOpen.value && (
        <Menu
          label={name}
          note={note}
          items={items}
          opener={place.current?.querySelector('button') ?? null}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </span>
  );
}

/** Below the control, or above it where there is no room, inside of the window. */
function placeBeside(menu: HTMLElement, opener: HTMLElement): void {
  const { top, bottom, right } = opener.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const below = bottom + gap;
  const fits = below + height + gap <= innerHeight;
  menu.style.top = `${Math.max(gap, fits ? below : top - height - gap)}px`;
  menu.style.left = `${Math.max(gap, Math.min(right, innerWidth - gap) - width)}px`;
}
