/** More records than this are not looked at for one page. */
export const searchedMax = 2000;

/**
 * A text as it is compared in a search: whatever the case, and however its characters are composed. The same on every machine.
 * A sigma at the end of a word is like any other, which a part of a word has in its middle; and lower case may be composed
 * where upper case cannot be.
 */
export function comparableText(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
