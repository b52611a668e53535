import { type Int64, int64Min, parseInt64 } from '../../domain/values/int64.ts';

/** What a list is restricted to, by the names of its parameters; undefined where it is not. */
export type Filter = Readonly<Record<string, string | Int64 | readonly Int64[] | undefined>>;

/**
 * 32 bits that are the same for equal filters, and hardly ever for others: the FNV-1a hash of its parts. Cursors hold for
 * ever, so a parameter that a list gets later goes last in its filter: where it is not given, the tag stays as it was.
 */
export function filterTag(filter: Filter): number {
  const parts = Object.values(filter).map((value) => (value === undefined ? '' : String(value)));
  while (parts.length < 2) parts.push('');
  while (parts.length > 2 && parts.at(-1) === '') parts.pop();
  const text = parts.join('&');
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * A cursor names the last id seen and the filter it was made for. It grants nothing: a forged one
 * only asks for another place in the caller's own list. `filterTag` is that of its filter.
 */
export interface Cursor {
  readonly belowId: Int64;
  readonly filterTag: number;
}

/** The form of every cursor. The document says the same, to the letter. */
export const cursorPattern = /^[A-Za-z0-9_\-]+$/v;
export const cursorLengthMax = 64;

const cursorVersion = '1';

export function formatCursor(cursor: Cursor): string {
  const text = `${cursorVersion}.${cursor.belowId}.${cursor.filterTag.toString(16).padStart(8, '0')}`;
  // Neither `+` nor `/` comes of digits, letters up to `f` and full stops.
  return btoa(text).replace(/=+$/, '');
}

/** Reads back what `formatCursor` wrote, to the letter; anything else is undefined. */
export function parseCursor(text: string): Cursor | undefined {
  if (text.length > cursorLengthMax || !cursorPattern.test(text)) return undefined;
  let decoded: string;
  try {
    decoded = atob(text);
  } catch {
    return undefined;
  }
  const match = /^1\.(-?[0-9]+)\.([0-9a-f]{8})$/.exec(decoded);
  const belowId = match === null ? undefined : parseInt64(match[1] ?? '');
  if (match === null || belowId === undefined || belowId === int64Min) return undefined;
  const cursor = { belowId, filterTag: Number.parseInt(match[2] ?? '', 16) };
  return formatCursor(cursor) === text ? cursor : undefined;
}
