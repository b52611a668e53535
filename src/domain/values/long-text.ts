import { isWellFormed } from './well-formed.ts';

/** The characters of a text of several lines: tabs and line ends are the only control characters. */
export const longTextPattern = '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$';

const longTextExpression = new RegExp(longTextPattern, 'u');

type LongTextFault = 'too_long' | 'control_character' | 'lone_surrogate';

/** The fault of a text of several lines. Undefined if it can be stored. */
export function findLongTextFault(text: string, lengthMax: number): LongTextFault | undefined {
  // A text has at most twice as many UTF-16 units as code points, so a longer one need not be counted.
  if (text.length > 2 * lengthMax || [...text].length > lengthMax) return 'too_long';
  if (!longTextExpression.test(text)) return 'control_character';
  return isWellFormed(text) ? undefined : 'lone_surrogate';
}
