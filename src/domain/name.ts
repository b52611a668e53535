/** The rule about the names of animals and categories. */
export const nameLengthMax = 255;

export type NameFault = 'blank' | 'too_long' | 'control_character' | 'lone_surrogate';

/** Why a text cannot be a name; undefined if it can. */
export function findNameFault(text: string): NameFault | undefined {
  if (text.trim() === '') return 'blank';
  // A text has at most twice as many UTF-16 units as code points: long ones need no counting.
  if (text.length > 2 * nameLengthMax) return 'too_long';
  if (text.length > nameLengthMax && [...text].length > nameLengthMax) return 'too_long';
  if (/\p{Cc}/u.test(text)) return 'control_character';
  return text.isWellFormed() ? undefined : 'lone_surrogate';
}
