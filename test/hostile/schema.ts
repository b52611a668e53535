import fc, { type Arbitrary } from 'fast-check';
import { int64Max, int64Min } from '../../src/domain/values/int64.ts';
import type { LongTest } from '../faults/long-test.ts';
import { addPets, equalPets } from '../support/catalogue.ts';
import {
  type DocumentedOperation,
  documentedOperations,
  type Parameter,
  resolveSchema,
  type Schema,
  undocumented,
} from '../support/published-document.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { allows, invalidJson, invalidTexts, validJson, validTexts } from './from-schema.ts';

interface SchemaRequest {
  /** Relative to the base address. */
  readonly path: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | undefined;
}

interface SchemaFindings {
  readonly sent: number;
  /** Number of answers by HTTP status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The first error, if any. */
  readonly wrong: string | undefined;
}

/** Concurrent writes share a flush to the disk. */
const atOnce = 10;

/** Sends requests that the published document allows for an operation, or requests that it does not allow. */
export async function sendFromSchema(
  operation: DocumentedOperation,
  kind: 'valid' | 'invalid',
  count: number,
): Promise<SchemaFindings> {
  // A rate limit that is never reached adds its headers to the answers.
  // The app is stopping, so that long polls and streams end immediately.
  const stopping = AbortSignal.abort();
  await using app = await openTestApp({ rateLimit: { count: 1_000_000, seconds: 1 }, stopping });
  await addPets(app, equalPets(100));
  const statuses: Record<string, number> = {};
  const requests =
    kind === 'valid' ? validRequest(operation).filter(isSeen) : invalidRequest(operation);
  async function check(request: SchemaRequest): Promise<Response> {
    // Each change of a webhook is one of 60 in a minute.
    app.now += 1000;
    const response = await send(app, request);
    const { status } = response;
    statuses[status] = (statuses[status] ?? 0) + 1;
    const faults = undocumented(operation.operationId, response, await response.text());
    if (!isExpected(operation, kind, status)) faults.push(`${status} to what is ${kind}`);
    if (faults.length > 0) throw new Error(faults.join('; '));
    return response;
  }
  const property = fc.asyncProperty(requests, async (request) => {
    const { headers } = await check(request);
    const next = /^<http:\/\/animals\.test\/v1([^>]*)>; rel="next"/.exec(
      headers.get('link') ?? '',
    )?.[1];
    if (next !== undefined) await check({ ...request, path: next });
  });
  // No shrinking: a smaller request would repeat the Idempotency-Key of another, which is a different error.
  const runs = { numRuns: count / atOnce, endOnFailure: true };
  const all = await Promise.all(Array.from({ length: atOnce }, () => fc.check(property, runs)));
  const found = all.find(({ failed }) => failed);
  const failed = found && `${found.errorInstance}: ${JSON.stringify(found.counterexample)}`;
  const fault = app.failures.length > 0 ? `${app.failures}` : undefined;
  const sent = Object.values(statuses).reduce((sum, times) => sum + times, 0);
  return { sent, statuses, wrong: failed ?? fault };
}

/** The pattern of a name in the document knows only white space, because not each language has Unicode classes. */
function isSeen({ path, body }: SchemaRequest): boolean {
  const { searchParams } = new URL(path, 'http://animals.test');
  const searched = ['name', 'note'].flatMap((name) => searchParams.getAll(name));
  const [, name] = /"name":("(?:[^"\\]|\\.)*")/.exec(body ?? '') ?? [];
  return [...searched, ...(name === undefined ? [] : [JSON.parse(name)])].every((text) =>
    /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u.test(text),
  );
}

/** Most ids that the schema allows belong to no record, and most entity tags to no answer, so 404 and 412 are expected too. */
function isExpected({ path }: DocumentedOperation, kind: 'valid' | 'invalid', status: number) {
  const isMissing =
    status === 412 || (status === 404 && path.includes('{')) || isOfState(path, status);
  if (kind === 'valid') return (status >= 200 && status < 400) || isMissing;
  return status >= 400 && status < 500 && (status !== 404 || isMissing);
}

/** Orders need an available animal, and an order blocks other changes. Most positions of events never existed. */
function isOfState(path: string, status: number): boolean {
  return (
    (status === 410 && path.startsWith('/events')) ||
    (status === 409 && /orders|pets\/|webhooks/.test(path)) ||
    (status === 404 && path.endsWith('/orders'))
  );
}

async function send({ app, apiKey }: TestApp, request: SchemaRequest): Promise<Response> {
  const { path, method, headers, body } = request;
  const sent = new Headers({ authorization: `Bearer ${apiKey}` });
  if (body !== undefined) sent.set('content-type', 'application/json');
  for (const [name, value] of headers) sent.set(name, value);
  const init = { method: method.toUpperCase(), headers: sent };
  // As bytes, so that the request has only the chosen content type.
  const content = body === undefined ? {} : { body: Buffer.from(body) };
  return await app(new Request(`http://animals.test/v1${path}`, { ...init, ...content }));
}

function validRequest(operation: DocumentedOperation): Arbitrary<SchemaRequest> {
  const { parameters, bodySchema } = operation;
  const values = parameters.map((parameter) => optional(parameter, validValues(parameter)));
  const body =
    bodySchema === undefined
      ? fc.constant(undefined)
      : validJson(bodyOf(operation, bodySchema)).map((text) => toBody(operation, text));
  const unknown = fc.option(fc.tuple(fc.string(), fc.string()), { nil: undefined });
  return fc.record({ values: fc.tuple(...values), body, unknown }).map((parts) => {
    // With strict handling, everything that the document does not list is an error.
    const request = toRequest(operation, parts.values, parts.body, parts.unknown);
    return request.headers.some(([, value]) => value.includes('strict'))
      ? toRequest(operation, parts.values, plainBody(operation), undefined)
      : request;
  });
}

/** The smallest valid body. */
function plainBody({ bodySchema }: DocumentedOperation): string {
  const { required = [] } = bodySchema === undefined ? {} : resolveSchema(bodySchema);
  const members = { name: 'Rex', categoryId: 1, petId: 1, url: 'https://shop.example/' };
  return JSON.stringify(members, [...required]);
}

/** One part is invalid, and the rest is valid. */
function invalidRequest(operation: DocumentedOperation): Arbitrary<SchemaRequest> {
  const { parameters, bodySchema } = operation;
  const parts = [
    ...parameters.filter((parameter) => !isIgnoredWhenOdd(parameter)).map(({ name }) => name),
    ...(bodySchema === undefined ? [] : ['body', 'json', 'media type']),
    'key',
  ];
  return fc.constantFrom(...parts).chain((part) => {
    const values = parameters.map((parameter) =>
      parameter.name === part
        ? invalidValues(parameter)
        : optional(parameter, validValues(parameter)),
    );
    const body =
      bodySchema === undefined
        ? fc.constant(undefined)
        : part === 'body'
          ? invalidJson(bodyOf(operation, bodySchema))
          : part === 'json'
            ? validJson(bodySchema).chain(spoilJson)
            : validJson(bodySchema);
    const headers = fc.constantFrom(...(wrongHeaders[part] ?? [[]]));
    return fc
      .record({ values: fc.tuple(...values), body, headers })
      .map((made) => toRequest(operation, made.values, made.body, undefined, made.headers));
  });
}

/** PATCH and PUT accept constant members only with their present value, so these members are left out. */
function bodyOf({ method }: DocumentedOperation, schema: Schema): Schema {
  if (method !== 'patch' && method !== 'put') return schema;
  const {
    id: _id,
    petId: _petId,
    quantity: _quantity,
    complete: _complete,
    ...properties
  } = resolveSchema(schema).properties ?? {};
  return { ...resolveSchema(schema), properties };
}

/** A patch with only unknown members is rejected, which a schema cannot express. */
function toBody(operation: DocumentedOperation, text: string): string {
  const { method, bodySchema } = operation;
  if (method !== 'patch' || bodySchema === undefined) return text;
  const known = Object.keys(bodyOf(operation, bodySchema).properties ?? {});
  return Object.keys(JSON.parse(text)).some((name) => known.includes(name)) ? text : '{}';
}

/** A read ignores an invalid text in this parameter. */
function isIgnoredWhenOdd({ name, schema }: Parameter): boolean {
  return name === 'If-None-Match' && schema.pattern === undefined;
}

const wrongHeaders: Readonly<Record<string, readonly (readonly [string, string])[][]>> = {
  key: [
    [['authorization', '']],
    [['authorization', 'Bearer x']],
    [['authorization', 'Basic YTpi']],
    [['authorization', `Bearer anst_live_${'0'.repeat(38)}`]],
  ],
  'media type': ['text/plain', 'application/xml', 'application/json; charset=utf-16', 'x', ''].map(
    (type) => [['content-type', type]],
  ),
};

/** Invalid JSON texts, made from a valid one. */
function spoilJson(text: string): Arbitrary<string> {
  const spoilt = fc.oneof(
    fc.nat({ max: text.length - 1 }).map((length) => text.slice(0, length)),
    fc.constantFrom(
      `${text}x`,
      `${text}${text}`,
      `\ufeff${text}`,
      `[${text}`,
      text.replace(':', '='),
    ),
    fc.constantFrom(`${'['.repeat(33)}${']'.repeat(33)}`, `${text}${' '.repeat(65537)}`),
  );
  return spoilt.filter((other) => other !== text);
}

type Values = readonly (readonly [Parameter, readonly string[]])[];

function optional(
  parameter: Parameter,
  values: Arbitrary<readonly string[]>,
): Arbitrary<readonly [Parameter, readonly string[]]> {
  const given = parameter.required
    ? values
    : fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: values });
  return given.map((texts) => [parameter, texts]);
}

/** Texts with a meaning, or that must be new each time. The schema alone does not give them. */
const validWords: Readonly<Record<string, Arbitrary<string>>> = {
  Prefer: fc.constantFrom('handling=strict', 'handling=lenient', 'respond-async', ''),
  'If-None-Match': fc.constantFrom('*', '"x"', 'W/"x", "y"'),
  'Idempotency-Key': fc.uuid(),
  record: fc
    .tuple(
      fc.constantFrom('pet', 'order', 'category'),
      fc.oneof(fc.bigInt(-9n, 99n), fc.bigInt(int64Min, int64Max)),
    )
    .map((parts) => parts.join(':')),
};

/** Random texts would soon repeat the key of another request, and a pattern does not bound an id. */
const onlyWords = ['Idempotency-Key', 'record'];

const invalidWords: Readonly<Record<string, Arbitrary<string>>> = {
  Prefer: fc.constantFrom('=', 'handling=', 'handling="strict', 'a b', '@'),
  'Idempotency-Key': fc.constantFrom('', 'a b', '"', '"a', 'x'.repeat(256), '\u00e9', '"a\tb"'),
};

function validValues({ name, in: place, schema }: Parameter): Arbitrary<readonly string[]> {
  // Only an answer has a valid cursor. The caller follows the one in `Link`.
  if (name === 'cursor') return fc.constant([]);
  const words = validWords[name]?.map((text) => [text]);
  if (words !== undefined && onlyWords.includes(name)) return words;
  const any = place === 'header' ? headerTexts(schema, true) : validTexts(schema);
  return words === undefined ? any : fc.oneof(words, any);
}

function invalidValues(parameter: Parameter): Arbitrary<readonly [Parameter, readonly string[]]> {
  const { name, in: place, schema } = parameter;
  // The service rejects every cursor that it did not return.
  if (name === 'cursor') return fc.string({ unit: 'grapheme' }).map((text) => [parameter, [text]]);
  const words = invalidWords[name]?.map((text) => [text]);
  const any = place === 'header' ? headerTexts(schema, false) : invalidTexts(schema);
  return (
    (words === undefined ? any : fc.oneof(words, any))
      // An empty segment gives another path, and the URL parser removes dots.
      .filter(([text = '']) => place !== 'path' || !/^\.{0,2}$/.test(text))
      .map((texts) => [parameter, texts])
  );
}

/** Texts that a header can have and that the schema allows, or does not allow. */
function headerTexts(schema: Schema, allowed: boolean): Arbitrary<string[]> {
  return (allowed ? validTexts(schema) : invalidTexts(schema))
    .map((texts) => texts.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').trim()))
    .filter((texts) => texts.every((text) => allows(schema, text) === allowed));
}

function toRequest(
  { path, method }: DocumentedOperation,
  values: Values,
  body: string | undefined,
  unknown: readonly [string, string] | undefined,
  moreHeaders: readonly (readonly [string, string])[] = [],
): SchemaRequest {
  const query = new URLSearchParams(unknown === undefined ? [] : [[`x${unknown[0]}`, unknown[1]]]);
  const headers: (readonly [string, string])[] = [];
  let filled = path;
  for (const [parameter, texts] of values) {
    for (const text of texts) {
      if (parameter.in === 'query') query.append(parameter.name, text.toWellFormed());
      else if (parameter.in === 'header') headers.push([parameter.name, text]);
      else filled = filled.replace(`{${parameter.name}}`, encodeURIComponent(text.toWellFormed()));
    }
  }
  return {
    path: `${filled}?${query}`,
    method,
    headers: [...headers, ...moreHeaders],
    body: method === 'get' ? undefined : body,
  };
}

const runsMax = { quick: 3000, long: 100_000 };

export const schemaRequests: LongTest = {
  name: 'schema',
  title:
    'requests that the published document allows, and requests that it does not allow (3000 of each for every operation, with --long 100 000)',
  promise:
    'The service accepts what the document allows and rejects everything else with 4xx. The document lists every answer, ' +
    'with its headers and the shape of its body.',
  async run({ long }) {
    const figures: string[] = [];
    const broken: string[] = [];
    for (const operation of documentedOperations) {
      for (const kind of ['valid', 'invalid'] as const) {
        const count = long ? runsMax.long : runsMax.quick;
        const { sent, statuses, wrong } = await sendFromSchema(operation, kind, count);
        const answers = Object.entries(statuses).map(([status, times]) => `${times} of ${status}`);
        figures.push(`${operation.operationId}, ${sent} ${kind}: ${answers.join(', ')}`);
        if (wrong !== undefined) broken.push(`${operation.operationId}: ${wrong}`);
      }
    }
    return { figures, broken };
  },
};
