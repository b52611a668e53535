import { type Failure, fail } from '../failure.ts';

// RFC 7240, section 2: a list of preferences, each `token [= word]`, with parameters of the same form after semicolons. The list
// may have empty elements (RFC 9110, section 5.6.1). The pattern never backtracks, so no header takes long to reject.
const token = "[!#$%&'*+.^_`\\|~0-9A-Za-z\\-]+";
const quoted = '"(?:[\\t\\x20!#-\\[\\]-~\\x80-\\xff]|\\\\[\\t\\x20-~\\x80-\\xff])*"';
const pair = `(${token})(?:[ \\t]*=[ \\t]*(${token}|${quoted}))?[ \\t]*`;

/** The form of `Prefer`. The document has the same pattern. */
export const preferPattern = new RegExp(
  `^[ \\t,]*(?:${pair}(?:$|;[ \\t;]*(?:,[ \\t,]*)?|,[ \\t,]*))*$`,
  'u',
);
export const preferLengthMax = 1024;

const pairs = new RegExp(`${pair}([ \\t;,]*)`, 'gu');

/** Whether a `Prefer` header requests strict handling. Only the first `handling` counts. */
export function readPrefersStrict(header: string): boolean | Failure {
  if (header.length > preferLengthMax || !preferPattern.test(header)) return unreadable;
  let isParameter = false;
  for (const [, name, word, separator] of header.matchAll(pairs)) {
    if (!isParameter && name?.toLowerCase() === 'handling') {
      return word?.replaceAll('"', '').toLowerCase() === 'strict';
    }
    isParameter = separator?.includes(',') === false;
  }
  return false;
}

const unreadable = fail(
  'invalid_header',
  'Prefer is malformed; it must be like Prefer: handling=strict',
);
