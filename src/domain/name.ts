/** The rule about the names of animals and categories. */
export const nameLengthMax = 255;

type NameFault = 'blank' | 'too_long' | 'control_character' | 'lone_surrogate';

/** The fault of a text that cannot be a name. Undefined if it can. */
export function findNameFault(text: string): NameFault | undefined {
  if (text.trim() === '') return 'blank';
  // A text has at most twice as many UTF-16 units as code points, so a longer one need not be counted.
  if (text.length > 2 * nameLengthMax) return 'too_long';
  if (text.length > nameLengthMax && [...text].length > nameLengthMax) return 'too_long';
  if (/\p{Cc}/u.test(text)) return 'control_character';
  return text.isWellFormed() ? undefined : 'lone_surrogate';
}

/**
 * The same text for names that differ only in case or Unicode form. Accents count, unlike in a search. Lower case can compose
 * characters that upper case cannot.
 */
export function comparableName(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
