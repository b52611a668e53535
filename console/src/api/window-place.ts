import type { Edge } from './sequence.ts';

/** Where a window is in the whole list. */
export interface WindowPlace {
  /** How many rows are before the window and after it. Both are estimates, unless the window contains that edge of the list. */
  readonly before: number;
  readonly after: number;
  /** Which edges of the list the window contains. */
  readonly reached: Readonly<Record<Edge, boolean>>;
  /** By how many places the rows of the window have moved, because the estimates were corrected. */
  readonly moved: number;
}

/** Of a list that is loaded as a whole. */
export const wholePlace: WindowPlace = {
  before: 0,
  after: 0,
  reached: { start: true, end: true },
  moved: 0,
};

/**
 * A longer list is drawn as if it had this many rows, because Firefox limits an element to 17.8 million pixels. The window moves
 * through it row by row all the same.
 */
export const placesMax = 150_000;

/** New rows at the start of the window take the places before it. If these are too few, the other rows move. */
export function putBefore(place: WindowPlace, count: number): WindowPlace {
  const before = Math.max(0, place.before - count);
  return { ...place, before, moved: place.moved + before + count - place.before };
}

/** Corrects the estimates. At an edge that the window contains, nothing else is left. */
export function settlePlace(place: WindowPlace, count: number, length: number): WindowPlace {
  const others = Math.max(0, Math.min(length, placesMax) - count);
  const { reached } = place;
  const before = reached.start ? 0 : reached.end ? others : Math.min(place.before, others);
  const after = reached.end ? 0 : others - before;
  return { reached, before, after, moved: place.moved + before - place.before };
}
