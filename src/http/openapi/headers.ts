import type { ZodOpenApiComponentsObject } from 'zod-openapi';
import { idempotencyKeyPattern } from '../idempotency.ts';
import { preferLengthMax, preferPattern } from '../prefer.ts';

const text = { type: 'string' } as const;

/**
 * The response headers that the document describes, by the names they have there. One that is `required` comes with
 * every answer that lists it.
 */
export const responseHeaders = {
  'X-Request-Id': {
    description:
      'Names this request in the logs of the service: the one that was sent where it fits, else a new one.',
    required: true,
    schema: text,
    example: '01a1f886-e697-70a6-9073-e2c036991302',
  },
  'Preference-Applied': {
    description: '`handling=strict` where `Prefer: handling=strict` was sent (RFC 7240).',
    schema: text,
    example: 'handling=strict',
  },
  ETag: {
    description:
      'Names this state of the answer; send it as `If-None-Match` to be told only of changes (RFC 9110).',
    required: true,
    schema: text,
    example: 'W/"2b6kmhzqn0a5s"',
  },
  'Idempotent-Replayed': {
    description: '`true` where the answer was given before, to the same `Idempotency-Key`.',
    schema: text,
    example: 'true',
  },
  'RateLimit-Policy': {
    description: 'The limit of the key, where it has one: `q` requests in `w` seconds.',
    schema: text,
    example: '"default";q=600;w=60',
  },
  RateLimit: {
    description:
      'What is left of the limit: `r` requests in the next `t` seconds or, where none is left, one more after `t` seconds.',
    schema: text,
    example: '"default";r=599;t=60',
  },
  NextLink: {
    description: 'The address of the next page, absolute (RFC 8288). The last page has none.',
    schema: text,
    example: '<https://animals.example/v1/pets?limit=20&cursor=MS44MS4wMTQ1MGI0MA>; rel="next"',
  },
  Location: {
    description: 'Path of the new animal; left out once getPet is removed.',
    schema: text,
    example: '/v1/pets/1',
  },
  Deprecation: {
    description:
      'Since when the operation is deprecated, as `@` and Unix seconds (RFC 9745); left out once it is removed.',
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
    description: 'The address of what to use instead, absolute (RFC 8288).',
    required: true,
    schema: text,
    example: '<https://animals.example/v1/pets>; rel="successor-version"',
  },
  'X-Stability': {
    description:
      'Of an operation that may still change: `beta` or `experimental`. What is stable does not have it.',
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
      'Seconds after which to try again: a day at most, which is the longest that a rate limit asks for.',
    required: true,
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
    example: 1,
  },
  Accept: {
    description: 'What the body may be, where it has another media type (RFC 9110).',
    schema: text,
    example: 'application/json',
  },
  'Accept-Encoding': {
    description: '`identity`, where the body has a content encoding (RFC 9110).',
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

/** They come with every answer once it is known whose request it is, where the key has a limit. */
export const rateLimitHeaders = ['RateLimit-Policy', 'RateLimit'] as const;

/** `Link` leads elsewhere from a page than from what is going away, and is described twice. */
export function documentedHeaderName(name: string): string {
  return name.endsWith('Link') ? 'Link' : name;
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
      'With `handling=strict`, parameters and members that this document does not list are refused ' +
      'with 400 `unknown_field`; otherwise they are ignored (RFC 7240).',
    schema: { ...text, maxLength: preferLengthMax, pattern: preferPattern.source },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A text of your choosing, new for each write. Within 24 hours the same request with the same key is done once ' +
      'and answered alike, so it is safe to repeat. 1 to 255 visible ASCII characters, of which the first is no `"`; ' +
      'or as many in double quotes, with `\\` before each `"` and `\\` (RFC 9651).',
    schema: { ...text, pattern: idempotencyKeyPattern.source },
    example: 'order-17',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the answer you have; where it still holds, the answer is 304.',
    schema: text,
  },
} as const satisfies ZodOpenApiComponentsObject['parameters'];
