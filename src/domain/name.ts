import { isWellFormed } from './values/well-formed.ts';

/** The rule about the names of animals and categories. */
export const nameLengthMax = 255;

type NameFault = 'blank' | 'too_long' | 'control_character' | 'lone_surrogate' | 'invisible';

const seen = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u;

export function hasSeenCharacter(text: string): boolean {
  return seen.test(text);
}

/** The fault of a text that cannot be a name. Undefined if it can. */
export function findNameFault(text: string): NameFault | undefined {
  if (text.trim() === '') return 'blank';
  // A text has at most twice as many UTF-16 units as code points, so a longer one need not be counted.
  if (text.length > 2 * nameLengthMax) return 'too_long';
  if (text.length > nameLengthMax && [...text].length > nameLengthMax) return 'too_long';
  if (/\p{Cc}/u.test(text)) return 'control_character';
  if (!isWellFormed(text)) return 'lone_surrogate';
  return hasSeenCharacter(text) ? undefined : 'invisible';
}

/** What keyboards, word processors and copies make of the same character: invisible ones, blanks, apostrophes and hyphens. */
const lookAlikes = [
  ['\\p{Default_Ignorable_Code_Point}', ''],
  ['\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000', ' '],
  ['\\u2018\\u2019\\u201b\\u02bb\\u02bc`\\u00b4\\uff07', "'"],
  ['\\u2010-\\u2015\\u2212', '-'],
] as const;

const patterns = lookAlikes.map(([set, usual]) => [new RegExp(`[${set}]`, 'gu'), usual] as const);

const anyLookAlike = new RegExp(`[${lookAlikes.map(([set]) => set).join('')}]`, 'u');

/** The same text with usual apostrophes, blanks and hyphens, and without characters that are not shown. */
export function foldLookAlikes(text: string): string {
  if (!anyLookAlike.test(text)) return text;
  return patterns.reduce((folded, [pattern, usual]) => folded.replaceAll(pattern, usual), text);
}

/**
 * The same text for names that differ only in case, Unicode form or look-alike characters. Accents count, unlike in a search. Lower case can compose
 * characters that upper case cannot.
 */
export function comparableName(name: string): string {
  return foldLookAlikes(name).normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
