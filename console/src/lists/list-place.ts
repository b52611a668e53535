/** What a row of a list has at least. */
export interface Identified {
  readonly id: bigint;
}

export type Edge = 'start' | 'end';

/** Where the rows that are loaded are in the whole list. */
export interface ListPlace {
  /** How many rows are before those that are loaded and after them. Both are estimates, unless the rows reach that edge of the list. */
  readonly before: number;
  readonly after: number;
  /** Which edges of the list the rows reach. */
  readonly reached: Readonly<Record<Edge, boolean>>;
  /** By how many places the rows have moved, because rows were put before them, or an estimate was corrected. */
  readonly moved: number;
}

/** Of a list that is loaded as a whole. */
export const wholePlace: ListPlace = {
  before: 0,
  after: 0,
  reached: { start: true, end: true },
  moved: 0,
};

/**
 * A longer list is drawn as if it had this many rows. Its rows follow each other all the same. Chromium limits an element to 33.5
 * million pixels of the screen, of which a phone, or a page that is enlarged, has several for one of the page.
 */
export const placesMax = 50_000;

/** New rows at the start take the places before them. If these are too few, the other rows move. */
export function putBefore(place: ListPlace, count: number): ListPlace {
  const before = Math.max(0, place.before - count);
  return { ...place, before, moved: place.moved + before + count - place.before };
}

/** Corrects the estimates for a list of this length, of which so many rows are loaded. */
export function settlePlace(place: ListPlace, count: number, length: number): ListPlace {
  const others = Math.max(0, Math.min(length, placesMax) - count);
  const { reached } = place;
  const before = reached.start ? 0 : reached.end ? others : Math.min(place.before, others);
  const after = reached.end ? 0 : others - before;
  return { reached, before, after, moved: place.moved + before - place.before };
}
