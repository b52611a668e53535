import { type Failure, fail } from '../domain/error.ts';

// RFC 7240, section 2: a list of preferences, each `token [= word]` with optional parameters. Empty elements
// of a list mean nothing (RFC 9110, section 5.6.1). White space has one place to go in each part, so that no
// header takes long to refuse.
const word = `(?:[!#$%&'*+.^_\`|~0-9A-Za-z-]+|"(?:[^"\\\\]|\\\\.)*")`;
const token = `[!#$%&'*+.^_\`|~0-9A-Za-z-]+`;
const pair = `${token}(?:[ \\t]*=[ \\t]*${word})?`;
const preference = new RegExp(
  `[ \\t,]*(?:$|(${token})(?:[ \\t]*=[ \\t]*(${word}))?(?:[ \\t]*;(?:[ \\t]*${pair})?)*[ \\t]*(?:,|$))`,
  'y',
);

const headerLengthMax = 1024;

/** Whether a `Prefer` header asks for strict handling. The first `handling` counts; others are ignored. */
export function readPrefersStrict(header: string | null): boolean | Failure {
  if (header === null) return false;
  if (header.length > headerLengthMax) return unreadable;
  let handling: string | undefined;
  preference.lastIndex = 0;
  while (preference.lastIndex < header.length) {
    const match = preference.exec(header);
    if (match === null) return unreadable;
    if (match[1]?.toLowerCase() === 'handling') {
      handling ??= match[2]?.replaceAll('"', '').toLowerCase();
    }
  }
  return handling === 'strict';
}

const unreadable = fail(
  'invalid_header',
  'Prefer cannot be read; it must be like Prefer: handling=strict',
);
