/** Moves the focus into the screen if the control that had it is gone: to a row in sight, or else to the heading. */
export function focusMain(): void {
  if (document.activeElement !== document.body) return;
  const rows = [...document.querySelectorAll<HTMLElement>('main .rows [role=row]')].filter(
    isInSight,
  );
  // The row of the keyboard can be far away. The focus would scroll the list to it.
  const row = rows.find(({ tabIndex }) => tabIndex === 0) ?? rows[0];
  (row ?? document.querySelector<HTMLElement>('main h1'))?.focus();
}

/** Focuses the first field with a fault, once it is shown. */
export function focusFault(): void {
  setTimeout(() => document.querySelector<HTMLElement>('dialog [aria-invalid=true]')?.focus());
}

/** Gives the focus back for a dialog that another one has replaced. */
let giveBackFirst: (() => void) | undefined;

/** Gives the focus back to the element that has it now. If that is gone, as the buttons of an animal that was sold, its row gets it. */
export function rememberFocus(): () => void {
  const opener = document.activeElement;
  const row = opener?.closest('.rows [role=row]');
  const grid = row?.closest('[role=grid]');
  const index = Number(row?.getAttribute('aria-rowindex'));
  function giveBack(): void {
    const places = [
      opener,
      row,
      grid?.querySelector(`[aria-rowindex="${index + 1}"]`),
      grid?.querySelector(`[aria-rowindex="${index}"]`),
      document.querySelector('main h1'),
    ];
    const place = places.find(mayFocus);
    place?.focus();
    if (place === opener) followOpener();
  }
  /** What the dialog has changed can remove its opener only later, when the page has read it again. */
  function followOpener(): void {
    const removals = new MutationObserver(() => {
      const { activeElement } = document;
      if (activeElement === opener) return;
      removals.disconnect();
      if (activeElement === document.body && opener?.isConnected === false) giveBack();
    });
    removals.observe(document.body, { childList: true, subtree: true });
  }
  return () => {
    if (document.querySelector('dialog:modal') !== null) {
      giveBackFirst ??= giveBack;
      return;
    }
    const first = giveBackFirst;
    giveBackFirst = undefined;
    if (opener === document.body && first !== undefined) first();
    else giveBack();
  };
}

function mayFocus(place: Element | null | undefined): place is HTMLElement {
  const isThere = place instanceof HTMLElement && place.isConnected;
  return isThere && !place.matches('body, :disabled');
}

/** Whether the middle of a row is in sight. The list behind the page of an animal is hidden. */
function isInSight(row: HTMLElement): boolean {
  if (row.offsetParent === null) return false;
  const head = row.closest('[role=grid]')?.querySelector('.head')?.getBoundingClientRect();
  const { top, height } = row.getBoundingClientRect();
  const middle = top + height / 2;
  return middle > (head?.bottom ?? 0) && middle < innerHeight;
}
