/** The maximum number of records that one page of a search reads. */
export const searchedMax = 2000;

/**
 * A text in the form that a search compares: lower case and composed, the same on every machine. The final sigma becomes a usual
 * one, because the end of a search text may be the middle of a word. Lower case can compose characters that upper case cannot.
 */
export function comparableText(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
