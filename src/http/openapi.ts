import { stringify } from 'yaml';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import type { Environment } from '../domain/api-key.ts';
import { type ErrorCode, errorMeanings } from '../domain/error.ts';
import { errorHttpStatus } from './error-response.ts';
import type { DocumentedHeader, Operation } from './operation.ts';
import { operations } from './operations.ts';

/** Version of the interface, not of this program. */
export const interfaceVersion = '1.0.0';

export interface DocumentServer {
  readonly url: string;
  readonly environment: Environment;
}

/** The published contract as JSON. */
export function documentJson(servers: readonly DocumentServer[]): string {
  return `{\n${jsonMembers(servers)}\n}`;
}

/** The same as YAML. */
export function documentYaml(servers: readonly DocumentServer[]): string {
  return yamlMembers(servers);
}

const jsonMembers = prepareMembers((part) => JSON.stringify(part, undefined, 2).slice(2, -2));

/** For readers of YAML 1.1, who take a bare 2030-12-05 for a point in time. */
const yamlMembers = prepareMembers((part) =>
  stringify(part, { version: '1.1', aliasDuplicateObjects: false, lineWidth: 110 }),
);

/**
 * Writes the document's members. Only its servers differ from one request to the next, and all else takes long to
 * write, so that is written once, by the first request.
 */
function prepareMembers(
  write: (part: object) => string,
): (servers: readonly DocumentServer[]) => string {
  let around: readonly string[] | undefined;
  return (servers) => {
    around ??= write(buildDocument()).split(write({ servers: [] }));
    return around.join(write({ servers: servers.map(describeServer) }));
  };
}

function describeServer({ url, environment }: DocumentServer) {
  return { url, description: environment === 'production' ? 'Production' : 'Staging' };
}

const errorSchema = z
  .object({
    code: z.string().meta({
      description:
        'What went wrong, for programs. New codes may be added; none changes its meaning.',
      examples: ['invalid_body'],
    }),
    message: z.string().meta({
      description: 'What went wrong, for people. The wording may change.',
      examples: ['categoryId is required'],
    }),
    status: z.int().meta({
      description: 'The HTTP status code again.',
      examples: [400],
      override: { minimum: 400, maximum: 599 },
    }),
  })
  .meta({ id: 'Error', description: 'The body of every answer that is not a success.' });

const headerDescriptions = {
  Link: 'Links to related addresses, absolute (RFC 8288).',
  Location: 'Path of the new animal; left out once getPet is removed.',
  'Preference-Applied': '`handling=strict` where `Prefer: handling=strict` was sent (RFC 7240).',
  Deprecation: 'Since when the operation is deprecated, as `@` and Unix seconds (RFC 9745).',
  Sunset: 'When the operation is removed, as an HTTP-date (RFC 8594).',
  'X-Request-Id':
    'Names this request in the logs of the service: the one that was sent where it fits, else a new one.',
  'WWW-Authenticate': 'How to authenticate (RFC 6750).',
  ETag: 'Names this state of the answer; send it as `If-None-Match` to be told only of changes (RFC 9110).',
  'Idempotent-Replayed': '`true` where the answer was given before, to the same `Idempotency-Key`.',
  'RateLimit-Policy': 'The limit of the key, where it has one: `q` requests in `w` seconds.',
  RateLimit: 'What is left of the limit: `r` requests in the next `t` seconds.',
  'Retry-After': 'Seconds after which to try again.',
} as const satisfies Record<DocumentedHeader, string>;

const requestHeaders = {
  Prefer:
    'With `handling=strict`, parameters and members that this document does not list are refused ' +
    'with 400 `unknown_field`; otherwise they are ignored.',
  'Idempotency-Key':
    'A text of your choosing, 1 to 255 visible ASCII characters, new for each animal. Within 24 hours the ' +
    'same request with the same key is done once and answered alike, so it is safe to repeat.',
  'If-None-Match': 'The `ETag` of the answer you have; where it still holds, the answer is 304.',
} as const;

function headerParameter(name: keyof typeof requestHeaders) {
  return {
    name,
    in: 'header',
    required: false,
    description: requestHeaders[name],
    schema: { type: 'string' },
  } as const;
}

/** All of it but the servers. */
function buildDocument() {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operations) {
    const method = operation.method === 'GET' ? 'get' : 'post';
    paths[operation.path] = { ...paths[operation.path], [method]: describeOperation(operation) };
  }
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Animal Store Service',
      version: interfaceVersion,
      description:
        'A catalogue of the animals offered in a store: list them, add one, fetch one. Every operation needs an API key, sent as ' +
        '`Authorization: Bearer API_KEY`. Every answer that is not a success has the body `Error`. ' +
        '`HEAD` works wherever `GET` does, and `OPTIONS` everywhere without a key. Integers are exact to ' +
        'the last digit: a `categoryId` may be beyond 2^53, so read it with a parser that keeps int64.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [],
    tags: [{ name: 'animals', description: 'The animals offered in the store.' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of this environment, with the scope that the operation needs.',
        },
      },
      headers: Object.fromEntries(
        Object.entries(headerDescriptions).map(([name, description]) => [
          name,
          { description, schema: { type: name === 'Retry-After' ? 'integer' : 'string' } },
        ]),
      ),
    },
  } as const satisfies ZodOpenApiObject;
  // Answers may gain members within /v1, so the document does not close them.
  return createDocument(document, {
    override: ({ jsonSchema }) => {
      delete jsonSchema.additionalProperties;
    },
  });
}

function describeOperation(operation: Operation): ZodOpenApiOperationObject {
  const { success, deprecation, requestBody, method } = operation;
  const isRead = method === 'GET';
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    description: `${operation.description}\n\nNeeds a key with the scope \`${operation.scope}\`.`,
    tags: ['animals'],
    ...(deprecation === undefined
      ? {}
      : {
          deprecated: true,
          'x-deprecated-sunset': new Date(deprecation.removedAt).toISOString().slice(0, 10),
        }),
    parameters: [
      headerParameter('Prefer'),
      headerParameter(isRead ? 'If-None-Match' : 'Idempotency-Key'),
    ],
    requestParams: { path: operation.pathParameters, query: operation.queryParameters },
    ...(requestBody === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: requestBody, examples: bodyExamples } },
          },
        }),
    responses: {
      [success.httpStatus]: {
        description: success.description,
        headers: describeHeaders(operation, [
          'Preference-Applied',
          isRead ? 'ETag' : 'Idempotent-Replayed',
          ...rateLimitHeaders,
          ...success.headers,
        ]),
        content: { 'application/json': { schema: success.schema, example: success.example } },
      },
      ...(isRead
        ? {
            304: {
              description: 'The answer that you have still holds.',
              headers: describeHeaders(operation, [
                'Preference-Applied',
                'ETag',
                ...rateLimitHeaders,
                ...success.headers,
              ]),
            },
          }
        : {}),
      ...describeErrors(operation),
    },
  };
}

const bodyExamples = {
  available: { summary: 'An animal to be had', value: { name: 'Fluffy', categoryId: 7 } },
  pending: {
    summary: 'An animal that is promised to somebody',
    value: { name: 'Rex', categoryId: 3, status: 'pending' },
  },
};

function describeHeaders(
  operation: Operation,
  names: readonly DocumentedHeader[],
  isRemoved = false,
) {
  // What is gone is no longer deprecated.
  const goingAway: DocumentedHeader[] = isRemoved
    ? ['Sunset', 'Link']
    : ['Deprecation', 'Sunset', 'Link'];
  const deprecation = operation.deprecation === undefined ? [] : goingAway;
  return Object.fromEntries(
    ['X-Request-Id', ...names, ...deprecation].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` as const },
    ]),
  );
}

function describeErrors(operation: Operation): Record<string, ZodOpenApiResponseObject> {
  const byStatus = Map.groupBy(possibleErrors(operation), (code) => errorHttpStatus[code]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([left], [right]) => left - right)
      .map(([httpStatus, codes]) => [
        String(httpStatus),
        {
          description: codes.map((code) => `\`${code}\`: ${errorMeanings[code]}`).join('\n\n'),
          headers: describeHeaders(operation, errorHeaders(httpStatus), httpStatus === 410),
          content: {
            'application/json': {
              schema: errorSchema,
              examples: Object.fromEntries(
                codes.map((code) => [
                  code,
                  { value: { code, message: errorMeanings[code], status: httpStatus } },
                ]),
              ),
            },
          },
        },
      ]),
  );
}

const rateLimitHeaders = ['RateLimit-Policy', 'RateLimit'] as const;

function errorHeaders(httpStatus: number): DocumentedHeader[] {
  if (httpStatus === 401 || httpStatus === 403) return ['WWW-Authenticate'];
  if (httpStatus === 429) return ['Retry-After', ...rateLimitHeaders];
  return httpStatus === 503 || httpStatus === 409 ? ['Retry-After'] : [];
}

/** What the pipeline can answer for an operation follows from its declaration. */
function possibleErrors(operation: Operation): ErrorCode[] {
  const { requestBody, queryParameters, deprecation, errors, method } = operation;
  return [
    ...(requestBody === undefined
      ? []
      : (['invalid_json', 'invalid_body', 'content_too_large', 'unsupported_media_type'] as const)),
    ...(Object.keys(queryParameters.shape).length > 0 ? (['invalid_parameter'] as const) : []),
    ...errors,
    'invalid_header',
    'unknown_field',
    'missing_api_key',
    'invalid_api_key',
    'insufficient_scope',
    'rate_limited',
    ...(method === 'GET'
      ? []
      : (['idempotency_in_progress', 'idempotency_key_reused', 'outcome_unknown'] as const)),
    ...(deprecation === undefined ? [] : (['operation_removed'] as const)),
    'internal_error',
    'unavailable',
  ];
}
