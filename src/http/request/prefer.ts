import { type Failure, fail } from '../answer/answer.ts';

// RFC 7240, section 2: a list of preferences, each `token [= word]`, with parameters of the same form behind
// semicolons. Empty elements of a list mean nothing (RFC 9110, section 5.6.1). White space has one place to go in
// each part, so that no header takes long to refuse.
const token = "[!#$%&'*+.^_`\\|~0-9A-Za-z\\-]+";
const quoted = '"(?:[\\t\\x20!#-\\[\\]-~\\x80-\\xff]|\\\\[\\t\\x20-~\\x80-\\xff])*"';
const pair = `(${token})(?:[ \\t]*=[ \\t]*(${token}|${quoted}))?[ \\t]*`;

/** What `Prefer` may be. The document says the same, to the letter. */
export const preferPattern = new RegExp(
  `^[ \\t,]*(?:${pair}(?:$|;[ \\t;]*(?:,[ \\t,]*)?|,[ \\t,]*))*$`,
  'u',
);
export const preferLengthMax = 1024;

const pairs = new RegExp(`${pair}([ \\t;,]*)`, 'gu');

/** Whether a `Prefer` header asks for strict handling. The first `handling` counts; others are ignored. */
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
