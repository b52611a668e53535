import type { ZodOpenApiComponentsObject } from 'zod-openapi';
import { lastEventIdPattern } from '../feed/feed-position.ts';
import { idempotencyKeyPattern } from '../request/idempotency.ts';
import { entityTagsPattern } from '../request/precondition.ts';
import { preferLengthMax, preferPattern } from '../request/prefer.ts';

const text = { type: 'string' } as const;

/**
 * The response headers that the document describes, by the names they have there. One that is `required` comes with
 * every answer that lists it.
 */
export const responseHeaders = {
  'X-Request-Id': {
    description:
      'Identifies this request in the logs of the service: the value that was sent if it is valid, otherwise a new one.',
    required: true,
    schema: text,
    example: '01a1f886-e697-70a6-9073-e2c036991302',
  },
  'Preference-Applied': {
    description: '`handling=strict` if the request had `Prefer: handling=strict` (RFC 7240).',
    schema: text,
    example: 'handling=strict',
  },
  ETag: {
    description:
      'Identifies this version of the response (RFC 9110). Send it as `If-None-Match` to get 304 while nothing has changed.',
    required: true,
    schema: text,
    example: 'W/"2b6kmhzqn0a5s"',
  },
  RecordETag: {
    description:
      'Identifies this version of the record (RFC 9110). Send it as `If-None-Match` to get 304 while nothing has changed, or ' +
      'as `If-Match` to change the record only if it is still as you saw it.',
    required: true,
    schema: text,
    example: '"5b2f3f7a0c9d4e1f8a6b7c5d4e3f2a1b"',
  },
  'Idempotent-Replayed': {
    description: '`true` if the response was sent before, to the same `Idempotency-Key`.',
    schema: text,
    example: 'true',
  },
  'RateLimit-Policy': {
    description: 'The rate limit of the key, if it has one: `q` requests in `w` seconds.',
    schema: text,
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description:
      'What remains of the limit: `r` requests in the next `t` seconds or, if none remain, one more after `t` seconds.',
    schema: text,
    example: '"default";r=599;t=60',
  },
  NextLink: {
    description: 'The absolute URL of the next page (RFC 8288). Absent on the last page.',
    schema: text,
    example: '<https://animals.example/v1/pets?limit=20&cursor=MS44MS4wMTQ1MGI0MA>; rel="next"',
  },
  NextEventsLink: {
    description:
      'The absolute URL of the next page (RFC 8288). Absent if no more events can be read now.',
    schema: text,
    example: '<https://animals.example/v1/events?limit=20&after=1042>; rel="next"',
  },
  'Last-Event-ID': {
    description:
      'The position up to which the feed was looked at, also past events of other types: send it as `after` the next time.',
    required: true,
    schema: text,
    example: '1042',
  },
  'X-Accel-Buffering': {
    description: 'Makes nginx send each event at once. A proxy can remove this header.',
    schema: text,
    example: 'no',
  },
  'Accept-Patch': {
    description:
      'The media types in which changes may be sent, if the body had another one (RFC 5789).',
    schema: text,
    example: 'application/merge-patch+json, application/json',
  },
  Location: {
    description: 'Path of the new record; absent for an animal once getPet is removed.',
    schema: text,
    example: '/v1/pets/1',
  },
  Deprecation: {
    description:
      'Since when the operation is deprecated, as `@` and Unix seconds (RFC 9745); absent once it is removed.',
    schema: text,
    example: '@1795132800',
  },
  Sunset: {
    description: 'When the operation is removed, as an HTTP-date (RFC 8594).',
    required: true,
    schema: text,
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  SuccessorLink: {
    description: 'The absolute URL to use instead (RFC 8288).',
    required: true,
    schema: text,
    example: '<https://animals.example/v1/pets>; rel="successor-version"',
  },
  'X-Stability': {
    description:
      'Stability of an operation that may still change: `beta` or `experimental`. Absent for stable operations.',
    schema: text,
    example: 'beta',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    required: true,
    schema: text,
    example: 'Bearer realm="animal-store"',
  },
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
  Accept: {
    description: 'The accepted media type, if the body had another one (RFC 9110).',
    schema: text,
    example: 'application/json',
  },
  'Accept-Encoding': {
    description: '`identity`, if the body had a content encoding (RFC 9110).',
    schema: text,
    example: 'identity',
  },
} as const satisfies ZodOpenApiComponentsObject['headers'];

/** Those of them that these operations answer with. */
export function describeResponseHeaders(operations: readonly { readonly stability?: string }[]) {
  const { 'X-Stability': stability, ...always } = responseHeaders;
  const isAllStable = operations.every((operation) => operation.stability === undefined);
  return isAllStable ? always : { ...always, 'X-Stability': stability };
}

export type DocumentedHeader = keyof typeof responseHeaders;

/** Every response after authentication has them if the key has a limit. */
export const rateLimitHeaders = ['RateLimit-Policy', 'RateLimit'] as const;

/** Headers that mean something else with some answers are described more than once. */
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

/** What an answer lists. */
export function describeHeaders(names: readonly DocumentedHeader[]) {
  return Object.fromEntries(
    names.map((name) => [
      documentedHeaderName(name),
      { $ref: `#/components/headers/${name}` } as const,
    ]),
  );
}

/** The request headers that operations read. */
export const requestHeaders = {
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      'With `handling=strict`, query parameters and body members that this document does not list are refused ' +
      'with 400 `unknown_field`; otherwise they are ignored (RFC 7240).',
    schema: { ...text, maxLength: preferLengthMax, pattern: preferPattern.source },
    // Tools send examples, and without one make up a value from the pattern. This one changes nothing (RFC 7240, section 4.4).
    example: 'handling=lenient',
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key of your choice, new for each write. Within 24 hours the same request with the same key is done once and ' +
      'gets the same response, so it is safe to retry. A key applies to one operation. 1 to 255 visible ASCII ' +
      'characters, the first not `"`; ' +
      'or as many in double quotes, with `\\` before each `"` and `\\` (RFC 9651).',
    schema: { ...text, pattern: idempotencyKeyPattern.source },
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the record as you know it, or `*`. If the record is not like that, the response is 412 and nothing ' +
      'changes. An empty change (`{}`) of an animal or order returns its `ETag`.',
    schema: { ...text, pattern: entityTagsPattern.source },
  },
  'If-None-Match-Write': {
    name: 'If-None-Match',
    in: 'header',
    description:
      '`*` to add a record only if there is none, or the `ETag` of a state that it must not have. Otherwise the response is ' +
      '412 and nothing changes.',
    schema: { ...text, pattern: entityTagsPattern.source },
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The last `id` of a stream that was lost. The new stream continues from there and ignores `after`.',
    schema: { ...text, pattern: lastEventIdPattern.source },
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of the response that you have; if it is still current, the response is 304.',
    schema: text,
  },
} as const satisfies ZodOpenApiComponentsObject['parameters'];
