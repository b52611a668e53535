// The page scrolls as a whole. Of a table, the part is in sight between its head, which stays below the header of the page, and the
// bars at the end of the window.

interface Sight {
  /** Pixels from the first row to the first pixel in sight. */
  readonly top: number;
  readonly height: number;
}

/** The lowest pixel of the window that the header and the head of the table cover while the page is scrolled. */
function coveredHeight(table: HTMLElement): number {
  const head = table.querySelector<HTMLElement>('.head');
  if (head === null) return 0;
  const { position, top } = getComputedStyle(head);
  // A narrow table has no head, and a low window no header that stays.
  const stays = position === 'sticky' ? head.offsetHeight : 0;
  return (Number.parseFloat(top) || 0) + stays;
}

const rowsOf = (table: HTMLElement) => table.querySelector<HTMLElement>('.rows') ?? table;

/** What is in sight of a table. Undefined if it is hidden, as behind the page of one of its records. */
export function readSight(table: HTMLElement): Sight | undefined {
  if (table.getClientRects().length === 0) return undefined;
  const rows = rowsOf(table).getBoundingClientRect();
  const first = Math.max(coveredHeight(table), rows.top);
  const bars = [...document.querySelectorAll<HTMLElement>('.bulk-area, #app > * > .notices')];
  const barsHeight = bars.reduce((sum, { offsetHeight }) => sum + offsetHeight, 0);
  return { top: first - rows.top, height: Math.max(0, innerHeight - barsHeight - first) };
}

/** Scrolls the page so that a pixel of the rows is the first one in sight. */
export function scrollToPixel(table: HTMLElement, top: number): void {
  const rows = rowsOf(table).getBoundingClientRect();
  scrollBy(0, rows.top + top - coveredHeight(table));
}
