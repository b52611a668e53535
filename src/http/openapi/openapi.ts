import { Document, visit } from 'yaml';
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Environment } from '../../domain/access/api-key.ts';
import {
  isConditional,
  type Operation,
  takesPrecondition,
  type WriteOperation,
} from '../operation.ts';
import { mediaTypesOf } from '../request/read-json.ts';
import { describeErrorExamples, possibleErrors } from './errors.ts';
import { requestHeaders, responseHeaders } from './headers.ts';
import { describeResponses, describeSharedResponses } from './responses.ts';

/** Version of the interface, not of this program. */
const interfaceVersion = '1.0.0';

export interface DocumentServer {
  readonly url: string;
  readonly environment: Environment;
}

/** The published contract, with the servers that are known. */
export interface PublishedDocument {
  toJson(servers: readonly DocumentServer[]): string;
  toYaml(servers: readonly DocumentServer[]): string;
}

/** Describes a service of these operations. */
export function describeOperations(operations: readonly Operation[]): PublishedDocument {
  const { openapi, info, ...rest } = describeService(operations);

  function writer(write: (members: object) => string) {
    // Writing it takes milliseconds. A client can request it at any number of addresses, so everything except the servers is
    // written once.
    let written: readonly [before: string, after: string] | undefined;
    return (servers: readonly DocumentServer[]) => {
      written ??= [write({ openapi, info }), write(rest)];
      return [written[0], write(describeServers(servers)), written[1]];
    };
  }

  const writeJson = writer(toJsonMembers);
  const writeYaml = writer(toYaml);
  return {
    toJson: (servers) => `{\n${writeJson(servers).join(',\n')}\n}`,
    toYaml: (servers) => writeYaml(servers).join(''),
  };
}

/** The members of an object, without its braces. */
function toJsonMembers(members: object): string {
  return JSON.stringify(members, undefined, 2).slice('{\n'.length, -'\n}'.length);
}

/** Writes YAML 1.1 too, whose readers take a bare 2030-12-05 for a point in time. Short members are on one line. */
function toYaml(members: object): string {
  const document = new Document(members, { version: '1.1', aliasDuplicateObjects: false });
  visit(document, {
    // The whole is a block, because its parts are joined line by line.
    Collection(key, node) {
      node.flow = key !== null && JSON.stringify(node).length <= 100;
    },
  });
  return document.toString({ lineWidth: 110, blockQuote: 'literal' });
}

function describeServers(servers: readonly DocumentServer[]) {
  const names = { production: 'Production', staging: 'Staging' };
  return {
    servers: servers.map(({ url, environment }) => ({ url, description: names[environment] })),
  };
}

/** The document without its servers. */
function describeService(operations: readonly Operation[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operations) {
    const { path } = operation;
    paths[path] = { ...paths[path], [memberOf(operation)]: describeOperation(operation) };
  }
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Animal Store Service',
        version: interfaceVersion,
        description:
          'A catalogue of the animals in a store, with categories and orders. Every operation needs an API key, ' +
          'sent as `Authorization: Bearer API_KEY`. Every error response has the body `Error`. `HEAD` works wherever ' +
          '`GET` does, and `OPTIONS` works everywhere without a key. Integers are exact: a `categoryId` and the `id` of a category can ' +
          'exceed 2^53, so use a parser that keeps all digits of an int64. If the URL and headers of a request have more than ' +
          '16 KiB, or if it has more than 198 header fields, the HTTP server rejects it with 431 and no body.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: [...new Set(operations.map(({ tag }) => tag))],
      security: [{ bearerAuth: [] }],
      paths,
      components: {
        parameters: requestHeaders,
        responses: describeSharedResponses(),
        headers: responseHeaders,
        examples: describeErrorExamples(new Set(operations.flatMap(possibleErrors))),
        securitySchemes: {
          bearerAuth: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key of this environment, with the scope that the operation needs.',
          },
        },
      },
    },
    {
      // Responses may gain members within /v1, so the document does not close them.
      override: ({ jsonSchema }) => {
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
    },
  );
  for (const operation of operations) {
    const described = document.paths?.[operation.path]?.[memberOf(operation)];
    for (const parameter of described?.parameters ?? []) {
      // The library also writes the keywords of a parameter beside its `$ref`, which few tools expect.
      if ('schema' in parameter && parameter.schema !== undefined && '$ref' in parameter.schema) {
        parameter.schema = { $ref: parameter.schema.$ref };
      }
    }
  }
  return document;
}

/** The member of a path for an operation. */
function memberOf({ method }: Operation) {
  return method.toLowerCase() as Lowercase<Operation['method']>;
}

/** The request headers that operations of a kind read. */
const requestHeadersOfKind = {
  read: ['Prefer', 'If-None-Match', 'If-Match-Read'],
  write: ['Prefer', 'Idempotency-Key'],
  action: ['Prefer'],
  stream: ['Prefer', 'Last-Event-ID', 'If-Match-Read'],
} as const satisfies Record<Operation['kind'], readonly string[]>;

function describeOperation(operation: Operation): ZodOpenApiOperationObject {
  const { deprecation, stability, kind, pathParameters: path, queryParameters: query } = operation;
  return {
    operationId: operation.operationId,
    summary: operation.summary,
    description: [
      operation.description,
      operation.scope === undefined
        ? 'Needs a key, with any scopes.'
        : `Needs a key with the scope \`${operation.scope}\`.`,
      ...(stability === undefined ? [] : [`It is ${stability}: it may still change.`]),
    ].join(' '),
    tags: [operation.tag.name],
    ...(deprecation === undefined ? {} : describeDeprecation(deprecation)),
    ...(stability === undefined ? {} : { 'x-stability': stability }),
    requestParams: { ...(path && { path }), ...(query && { query }) },
    parameters: [
      ...requestHeadersOfKind[kind].filter(
        (name) => name !== 'If-None-Match' || isConditional(operation),
      ),
      ...(takesPrecondition(operation) ? (['If-Match', 'If-None-Match-Write'] as const) : []),
    ].map((name) => ({ $ref: `#/components/parameters/${name}` as const })),
    ...(kind === 'write' ? describeRequestBody(operation) : {}),
    responses: describeResponses(operation),
  };
}

function describeRequestBody({ method, requestBody, requestExamples = {} }: WriteOperation) {
  if (requestBody === undefined) return {};
  const content = { schema: requestBody, examples: requestExamples };
  const types = mediaTypesOf(method).map((type) => [type, content] as const);
  return { requestBody: { required: true, content: Object.fromEntries(types) } };
}

/** Several tools know one of these members each. */
function describeDeprecation({ removedAt, successor }: NonNullable<Operation['deprecation']>) {
  const date = new Date(removedAt).toISOString().slice(0, 10);
  return {
    deprecated: true,
    'x-deprecated-sunset': date,
    'x-sunset': date,
    'x-deprecated-reason': `Removed on ${date}; use ${successor}.`,
  };
}
