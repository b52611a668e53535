import { escapeHidden } from './values/visible-text.ts';

/**
 * Every way in which a request can fail, and what that means to its caller. The set is closed: codes may
 * be added, none changes its meaning. The HTTP status of each stands in `http/error-response.ts`.
 */
export const errorMeanings = {
  invalid_json:
    'The body is not valid JSON: a syntax error, not UTF-8, a byte order mark, a duplicate member, more than 32 levels, ' +
    'or incomplete after 10 s.',
  invalid_body:
    'The body is JSON but does not match the schema, or the record that it changes. The message lists up to 10 faults.',
  invalid_parameter:
    'A query parameter is out of range, not in its enumeration, empty, or repeated although only one is allowed.',
  invalid_cursor: 'The cursor is not from this service, or belongs to another list or filter.',
  invalid_header: 'A request header is malformed.',
  unknown_field:
    'Only with `Prefer: handling=strict`: a query parameter or a member of the body is not in the OpenAPI document.',
  missing_api_key: 'No API key was sent, or another authentication scheme was used.',
  invalid_api_key:
    'The API key is malformed, unknown, expired, revoked, or of the other environment.',
  insufficient_scope: 'The API key does not have the scope that the operation needs.',
  forbidden_origin:
    'Only below `/console`: a request to the console from another site, over an unprotected connection, or a sign-in on a ' +
    'page that was not opened at the base URL.',
  not_found: 'There is no such animal, or other record, in the workspace of this API key.',
  route_not_found: 'There is no such path.',
  method_not_allowed: 'The path exists, but not with this method; `Allow` lists those it has.',
  conflict: 'The state of the resource does not allow the operation.',
  pet_not_available: 'The order is for an animal that is not `available`.',
  idempotency_in_progress: 'A request with the same `Idempotency-Key` is still running.',
  operation_removed: 'The operation was removed on the announced date; `Link` names its successor.',
  cursor_expired:
    'The position in the feed is older than what is kept, or was never given out. Take a new one with `after=now`, and list ' +
    'the records again.',
  precondition_failed:
    'The resource is not, or no longer, in the state that `If-Match` or `If-None-Match` demands.',
  content_too_large: 'The body is larger than 65536 bytes.',
  unsupported_media_type:
    'The body is not `application/json`, or for a change `application/merge-patch+json` (with no charset but utf-8), or has ' +
    'a content encoding.',
  idempotency_key_reused:
    'The `Idempotency-Key` was used before for another request of this operation: its path, query or body was different.',
  rate_limited: 'The key exceeded its rate limit. Retry after the seconds in `Retry-After`.',
  internal_error: 'Internal error. Report it with the `X-Request-Id`.',
  unavailable:
    'Storage is down, full or too slow, or the service is shutting down. Retry after the seconds in `Retry-After`.',
  outcome_unknown:
    'The write timed out or was interrupted, and may have been done. Retry with the same `Idempotency-Key`, or check first.',
} as const;

export type ErrorCode = keyof typeof errorMeanings;

const failed = Symbol('failed');

/** An expected failure, as a value. Headers are those that this failure adds to its answer. */
export interface Failure {
  readonly [failed]: true;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function fail(
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Failure {
  return { [failed]: true, code, message, headers };
}

/** Tells a failure from what a step gives when all is well. */
export function isFailure(value: unknown): value is Failure {
  return typeof value === 'object' && value !== null && failed in value;
}

const echoCharactersMax = 64;

/** Takes the API keys out of a text, as where somebody puts one in an address by mistake. */
export type HideApiKeys = (text: string) => string;

/** Hides the keys that this program makes, whole or in part, also where an address has them percent-encoded. */
export const hideApiKeys: HideApiKeys = (text) => text.replaceAll(apiKeyPattern, 'anst_…');

/** Hides these, and a key of the operator's own, which can be known by its text alone: as it is, or as part of an address. */
export function createHideApiKeys(operatorApiKey: string | undefined): HideApiKeys {
  if (operatorApiKey === undefined) return hideApiKeys;
  // In a query, what follows the first `=` is no longer part of a name.
  const characters = [...operatorApiKey.replace(/=+$/, '')].map(encodable);
  const pattern = new RegExp(`${characters.join('')}(?:=|${percent}3[dD])*`, 'g');
  return (text) => hideApiKeys(text.replaceAll(pattern, '…'));
}

/** Of an octet of an address, also where the percent sign itself was encoded, once or more often. */
const percent = '%(?:25)*';

/** Matches a character of ASCII as it is or percent-encoded. */
function encodable(character: string): string {
  const [high = '', low = ''] = character.charCodeAt(0).toString(16);
  const forms = [RegExp.escape(character), `${percent}${high}[${low}${low.toUpperCase()}]`];
  // A plus in a query is read as a space.
  return `(?:${(character === '+' ? [...forms, ' '] : forms).join('|')})`;
}

function encodableText(text: string): string {
  return [...text].map(encodable).join('');
}

/** Digits are the octets 30 to 39, letters 41 to 5A and 61 to 7A. */
const alphanumeric = `[0-9A-Za-z]|${percent}(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])`;

const apiKeyPattern = new RegExp(
  `${encodableText('anst_')}(?:${encodableText('live')}|${encodableText('test')})` +
    `${encodableText('_')}(?:${alphanumeric})*`,
  'g',
);

/** What a caller sent, fit to stand in a message: as JSON, escaped, without keys, cut at 64 characters. */
export function echo(value: unknown, hide: HideApiKeys = hideApiKeys): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (JSON.isRawJSON(value)) return cut(value.rawJSON);
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return cut(String(value));
  const text = hide(value);
  // The rest of a long string is dropped before it is escaped.
  const start = text.slice(0, 4 * echoCharactersMax);
  return cut(escapeHidden(JSON.stringify(start)), start.length < text.length);
}

function cut(text: string, wasCut = false): string {
  const characters = [...text];
  if (!wasCut && characters.length <= echoCharactersMax) return text;
  return `${characters.slice(0, echoCharactersMax).join('')}…`;
}
