import { foldLookAlikes } from './name.ts';

/** The maximum number of records that one page of a search reads. */
export const searchedMax = 2000;

const accents = /[\u0300-\u036f]/g;

/** Marks after the thirtieth in a row are dropped: NFD sorts a run in quadratic time (UAX #15, Stream-Safe). */
const longMarks = /(\p{M}{30})\p{M}+/gu;

/**
 * A text in the form that a search compares: without accents, look-alike characters and upper case, the same on every machine. The final sigma becomes
 * a usual one, because the end of a search text may be the middle of a word.
 */
export function foldText(text: string): string {
  const safe = foldLookAlikes(text).replaceAll(longMarks, '$1');
  const withoutAccents = safe.normalize('NFD').replaceAll(accents, '').normalize('NFC');
  return withoutAccents.toLowerCase().replaceAll('ς', 'σ');
}

/** Returns a function that finds a search text in a text. Every search compares with it (docs/decisions/listing.md). */
export function createSearch(wanted: string): (text: string) => boolean {
  const folded = foldText(wanted).trim();
  return (text) => foldText(text).includes(folded);
}
