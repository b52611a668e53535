import { type Failure, fail } from '../domain/error.ts';
import type { Precondition } from '../domain/precondition.ts';

const tag = '(?:W/)?"[!#-~\\x80-\\xff]*"';

/**
 * What `If-Match` may be: `*`, or a list of entity tags (RFC 9110, section 13.1.1), whose empty elements mean nothing (section
 * 5.6.1). The document says the same, to the letter. Each blank and comma has one place to go, so that no header takes long to
 * refuse.
 */
export const ifMatchPattern = new RegExp(
  `^(?:\\*|[ \\t,]*${tag}(?:[ \\t]*,[ \\t,]*${tag})*[ \\t,]*)$`,
  'u',
);

/** A weak tag matches nothing. */
export function readIfMatch(header: string | null): Precondition | Failure {
  if (header === null) return undefined;
  if (!ifMatchPattern.test(header)) return unreadable;
  if (header === '*') return '*';
  return [...header.matchAll(new RegExp(tag, 'gu'))]
    .map(([text]) => text)
    .filter((text) => !text.startsWith('W/'));
}

const unreadable = fail(
  'invalid_header',
  'If-Match must be * or entity tags in double quotes, such as the ETag of the record',
);
