import { isMet, type Precondition, type Versions } from '../../domain/precondition.ts';
import { type Failure, fail, isFailure } from '../failure.ts';

const tag = '(?:W/)?"[!#-~\\x80-\\xff]*"';
const everyTag = new RegExp(tag, 'gu');

/**
 * The form of `If-Match` and `If-None-Match`: `*`, or a list of entity tags (RFC 9110, section 13.1.1) that may have empty
 * elements (section 5.6.1). The document has the same pattern: a
 * string, because the source of a regular expression escapes each slash. It never backtracks, so no header takes long to reject.
 */
export const entityTagsPattern = `^(?:\\*|[ \\t,]*${tag}(?:[ \\t]*,[ \\t,]*${tag})*[ \\t,]*)$`;
const entityTags = new RegExp(entityTagsPattern, 'u');

/** Reads `If-Match` and `If-None-Match` of a write. */
export function readPrecondition(headers: Headers): Precondition | Failure {
  const match = readVersions(headers, 'If-Match');
  if (isFailure(match)) return match;
  const noneMatch = readVersions(headers, 'If-None-Match');
  return isFailure(noneMatch) ? noneMatch : { match, noneMatch };
}

/** The versions that a header names. The `ETag` of a record is its version in double quotes. */
export function readVersions(
  headers: Headers,
  name: 'If-Match' | 'If-None-Match',
): Versions | undefined | Failure {
  const header = headers.get(name);
  return header === null ? undefined : parseVersions(header, name);
}

/** Reads the versions of a header, or of what a row of many has instead of it. */
export function parseVersions(
  header: string,
  name: 'If-Match' | 'If-None-Match',
): Versions | Failure {
  if (header === '*') return '*';
  if (!entityTags.test(header)) {
    return fail(
      'invalid_header',
      `${name} must be * or entity tags in double quotes, such as the ETag of the record`,
    );
  }
  const tags = [...header.matchAll(everyTag)].map(([text]) => text);
  // A strong comparison never matches a weak tag. A weak comparison ignores the difference (section 13.1.2).
  const compared = name === 'If-Match' ? tags.filter((text) => !text.startsWith('W/')) : tags;
  return compared.map((text) => text.slice(text.indexOf('"') + 1, -1));
}

/** No tag contains it. */
const neverMatches = '\n';

/**
 * The failure of a read whose `If-Match` does not match the tag of what is read. Evaluate it before `If-None-Match` (RFC 9110, section
 * 13.2.2). A weak tag never matches, so for a list or without a tag, only `*` does.
 */
export function refuseUnlessMatched(
  headers: Headers,
  etag: string | undefined,
  named: { readonly noun?: string } = {},
): Failure | undefined {
  if (!headers.has('if-match')) return undefined;
  const match = readVersions(headers, 'If-Match');
  if (isFailure(match)) return match;
  const isStrong = etag !== undefined && !etag.startsWith('W/');
  const version = isStrong ? etag.slice(1, -1) : neverMatches;
  return isMet({ match }, () => version) ? undefined : preconditionFailed(named, { match });
}

/** The failure of a write whose record does not meet its precondition. */
export function preconditionFailed(
  { noun = 'response' }: { readonly noun?: string },
  { match }: Precondition,
): Failure {
  return fail(
    'precondition_failed',
    match === undefined
      ? `The ${noun} has an ETag that If-None-Match excludes. Read it again, then retry.`
      : `The ${noun} has changed since this ETag (a weak ETag never matches). Read it again, then retry.`,
  );
}
