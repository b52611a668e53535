import { type Int64, parseInt64 } from './int64.ts';
import type { PetStatus } from './pet-status.ts';

export const limitMin = 1;
export const limitMax = 100;
export const limitDefault = 20;

/** How many `id` parameters one request may carry. */
export const idsMax = 100;

/** Which animals a list is about. Absent members do not restrict it. */
export interface PetFilter {
  readonly status?: PetStatus | undefined;
  /** Distinct and ascending, so that equal filters are equal text. */
  readonly ids?: readonly Int64[] | undefined;
}

/**
 * A request for one page: the animals that match, by `id` descending, starting below `belowId`.
 * Ids are unique and rise with the order of commits, so the order is total and a walk over the pages
 * meets every animal that existed at its start exactly once, whatever is added meanwhile.
 */
export interface PageRequest extends PetFilter {
  readonly limit: number;
  readonly belowId?: Int64 | undefined;
}

/** 32 bits that are the same for equal filters, and hardly ever for others: the FNV-1a hash of its parts. */
export function filterTag({ status, ids }: PetFilter): number {
  let hash = 0x811c9dc5;
  for (const character of `${status ?? ''}&${ids?.join(',') ?? ''}`) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * A cursor names the last animal seen and the filter it was made for. It grants nothing: a forged one
 * only asks for another place in the caller's own list. `filterTag` is that of its filter.
 */
export interface Cursor {
  readonly belowId: Int64;
  readonly filterTag: number;
}

/** The form of every cursor. The document says the same, to the letter. */
export const cursorPattern = /^[A-Za-z0-9_-]+$/;
export const cursorLengthMax = 64;

const cursorVersion = '1';

export function formatCursor(cursor: Cursor): string {
  const text = `${cursorVersion}.${cursor.belowId}.${cursor.filterTag.toString(16).padStart(8, '0')}`;
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Reads back what `formatCursor` wrote, to the letter; anything else is undefined. */
export function parseCursor(text: string): Cursor | undefined {
  if (text.length > cursorLengthMax || !cursorPattern.test(text)) return undefined;
  let decoded: string;
  try {
    decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
  const match = /^1\.([0-9]+)\.([0-9a-f]{8})$/.exec(decoded);
  const belowId = match === null ? undefined : parseInt64(match[1] ?? '');
  if (match === null || belowId === undefined || belowId < 1n) return undefined;
  const cursor = { belowId, filterTag: Number.parseInt(match[2] ?? '', 16) };
  return formatCursor(cursor) === text ? cursor : undefined;
}
