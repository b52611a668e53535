import { useLayoutEffect, useRef } from 'preact/hooks';
import { hasLetter } from './shortcut.ts';

/** One line of a menu. The label is what a screen reader says, if the text does not name its record. */
export interface MenuItem {
  readonly text: string;
  readonly label?: string | undefined;
  /** The key that runs it, also without the menu. */
  readonly letter?: string | undefined;
  readonly run: () => void;
}

/** Pixels between a menu and its control, and the edges of the window. */
const gap = 4;

/**
 * A menu beside the control that opens it. It is a modal dialog, because those are above all scrollers, keep the focus, and give it
 * back. Arrow keys, Home and End move, and the letter of a line runs it.
 */
export function Menu(props: {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly opener: HTMLElement | null;
  readonly onClose: () => void;
}) {
  const { label, items, opener, onClose } = props;
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
      opener?.focus();
    };
  }, []);
  function run(item: MenuItem): void {
    onClose();
    // After the menu has given the focus back, which a dialog remembers.
    queueMicrotask(item.run);
  }
  function onKeyDown(event: KeyboardEvent): void {
    const { key, altKey, ctrlKey, metaKey } = event;
    event.stopPropagation();
    if (altKey || ctrlKey || metaKey) return;
    if (key === 'Tab') onClose();
    const lines = [...(element.current?.querySelectorAll('button') ?? [])];
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
    else if (chosen !== undefined) run(chosen);
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
      <div role="menu" aria-label={label}>
        {items.map((item) => (
          <button
            key={item.text}
            type="button"
            role="menuitem"
            aria-label={item.label}
            aria-keyshortcuts={item.letter}
            onClick={() => run(item)}
          >
            {item.text}
            {item.letter !== undefined && <kbd aria-hidden>{item.letter}</kbd>}
          </button>
        ))}
      </div>
    </dialog>
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
