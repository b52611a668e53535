import type { ZodOpenApiComponentsObject } from 'zod-openapi';
import { idempotencyKeyPattern } from '../request/idempotency.ts';
import { lastEventIdPattern } from '../request/last-event-id.ts';
import { entityTagsPattern } from '../request/precondition.ts';
import { preferLengthMax, preferPattern } from '../request/prefer.ts';

const text = { type: 'string' } as const;

/** A header of text. */
function header(description: string, example: string) {
  return { description, schema: text, example };
}

/** A header of text. Each response that lists it has it. */
function alwaysSent(description: string, example: string) {
  return { description, required: true, schema: text, example };
}

/** The response headers that the document describes, by their names in it. */
export const responseHeaders = {
  'X-Request-Id': alwaysSent(
    'Identifies this request in the logs of the service: the value that was sent if it is valid, otherwise a new one.',
    '01a1f886-e697-70a6-9073-e2c036991302',
  ),
  'Preference-Applied': header(
    '`handling=strict` if the request had `Prefer: handling=strict` (RFC 7240).',
    'handling=strict',
  ),
  ETag: alwaysSent(
    'Identifies this version of the response (RFC 9110). Send it as `If-None-Match` to get 304 while nothing has changed.',
    'W/"2b6kmhzqn0a5s"',
  ),
  RecordETag: alwaysSent(
    'Identifies this version of the record (RFC 9110). Send it as `If-None-Match` to get 304 while nothing has changed, or ' +
      'as `If-Match` to change the record only if it is still as you saw it.',
    '"5b2f3f7a0c9d4e1f8a6b7c5d4e3f2a1b"',
  ),
  'X-Read-From': header(
    '`standby` if the primary of the database is away and the server reads from a standby, which can lack the last writes.',
    'standby',
  ),
  'Idempotent-Replayed': header(
    '`true` if the response was sent before, to the same `Idempotency-Key`.',
    'true',
  ),
  'RateLimit-Policy': header(
    'The rate limit of the key, if it has one: `q` requests in `w` seconds.',
    '"default";q=600;w=60',
  ),
  RateLimit: header(
    'What remains of the limit: `r` requests in the next `t` seconds or, if none remain, one more after `t` seconds.',
    '"default";r=599;t=60',
  ),
  NextLink: header(
    'The absolute URL of the next page (RFC 8288). Absent on the last page.',
    '<https://animals.example/v1/pets?limit=20&cursor=MS44MS4wMTQ1MGI0MA>; rel="next"',
  ),
  NextEventsLink: header(
    'The absolute URL of the next page (RFC 8288). Absent if no more events can be read now.',
    '<https://animals.example/v1/events?limit=20&after=1042>; rel="next"',
  ),
  'Last-Event-ID': alwaysSent(
    'The position up to which the feed was read, also past events that were not requested: send it as `after` the next time.',
    '1042',
  ),
  'X-Accel-Buffering': header(
    'Makes nginx send each event at once. A proxy can remove this header.',
    'no',
  ),
  'Accept-Patch': header(
    'The media types in which changes may be sent, if the body had another one (RFC 5789).',
    'application/merge-patch+json, application/json',
  ),
  Location: header(
    'Path of the new record; absent for an animal once getPet is removed.',
    '/v1/pets/1',
  ),
  Deprecation: header(
    'Since when the operation is deprecated, as `@` and Unix seconds (RFC 9745); absent once it is removed.',
    '@1795132800',
  ),
  Sunset: alwaysSent(
    'When the operation is removed, as an HTTP-date (RFC 8594).',
    'Thu, 05 Dec 2030 00:00:00 GMT',
  ),
  SuccessorLink: alwaysSent(
    'The absolute URL to use instead (RFC 8288).',
    '<https://animals.example/v1/pets>; rel="successor-version"',
  ),
  'WWW-Authenticate': alwaysSent('How to authenticate (RFC 6750).', 'Bearer realm="animal-store"'),
  'Retry-After': {
    description:
      'Seconds to wait before a retry: at most one day, the longest wait of a rate limit.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
    example: 1,
  },
  RunningRetryAfter: {
    description: 'With `idempotency_in_progress` alone: seconds to wait before a retry.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 1 },
    example: 1,
  },
  Accept: header(
    'The accepted media type, if the body had another one (RFC 9110).',
    'application/json',
  ),
  'Accept-Encoding': header(
    '`identity`, if the body had a content encoding (RFC 9110).',
    'identity',
  ),
  'X-Stability': header(
    'Stability of an operation that may still change: `beta` or `experimental`. Absent for stable operations.',
    'beta',
  ),
} as const satisfies ZodOpenApiComponentsObject['headers'];

export type DocumentedHeader = keyof typeof responseHeaders;

/** Every response after authentication has them if the key has a limit. */
export const rateLimitHeaders = ['RateLimit-Policy', 'RateLimit'] as const;

/** A header with several meanings has several descriptions. */
const headerNames: Partial<Record<string, string>> = {
  NextLink: 'Link',
  NextEventsLink: 'Link',
  SuccessorLink: 'Link',
  RecordETag: 'ETag',
  RunningRetryAfter: 'Retry-After',
};

export function documentedHeaderName(name: string): string {
  return headerNames[name] ?? name;
}

/** The headers of a response, as references. */
export function describeHeaders(names: readonly DocumentedHeader[]) {
  return Object.fromEntries(
    names.map((name) => [
      documentedHeaderName(name),
      { $ref: `#/components/headers/${name}` } as const,
    ]),
  );
}

function requestHeader(name: string, description: string, schema: object = {}) {
  return { name, in: 'header', description, schema: { ...text, ...schema } } as const;
}

// Tools send the example or the default, or invent a value from the pattern. This value changes nothing (RFC 7240, section 4.4).
const lenient = 'handling=lenient';

/** The request headers that operations read. */
export const requestHeaders = {
  Prefer: {
    ...requestHeader(
      'Prefer',
      'With `handling=strict`, query parameters and body members that this document does not list are refused ' +
        'with 400 `unknown_field`; otherwise they are ignored (RFC 7240).',
      { maxLength: preferLengthMax, pattern: preferPattern.source, default: lenient },
    ),
    example: lenient,
  },
  'Idempotency-Key': requestHeader(
    'Idempotency-Key',
    'A key of your choice, new for each write. Within 24 hours the same request with the same key is done once and ' +
      'gets the same response, so it is safe to retry. A key applies to one operation. 1 to 255 visible ASCII ' +
      'characters, the first not `"`; or as many in double quotes, with `\\` before each `"` and `\\` (RFC 9651).',
    { pattern: idempotencyKeyPattern.source },
  ),
  'If-Match': requestHeader(
    'If-Match',
    'The `ETag` of the record as you know it, or `*`. If the record is not like that, the response is 412 and nothing ' +
      'changes. An empty change (`{}`) of an animal or order returns its `ETag`.',
    { pattern: entityTagsPattern },
  ),
  'If-Match-Read': requestHeader(
    'If-Match',
    'The `ETag` of the record that you want, or `*`. If the response has another one, it is 412. The weak `ETag` of a list never ' +
      'matches.',
    { pattern: entityTagsPattern },
  ),
  'If-None-Match-Write': requestHeader(
    'If-None-Match',
    '`*` to add a record only if there is none, or the `ETag` of a state that it must not have. Otherwise the response is ' +
      '412 and nothing changes.',
    { pattern: entityTagsPattern },
  ),
  'Last-Event-ID': requestHeader(
    'Last-Event-ID',
    'The last `id` of a stream that was lost. The new stream continues from there and ignores `after`.',
    { pattern: lastEventIdPattern.source },
  ),
  'If-None-Match': requestHeader(
    'If-None-Match',
    'The `ETag` of the response that you have; if it is still current, the response is 304.',
  ),
} as const satisfies ZodOpenApiComponentsObject['parameters'];
