import fc, { type Arbitrary } from 'fast-check';
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
import type { Hostility } from './hostility.ts';

interface SchemaRequest {
  /** Relative to the base address. */
  readonly path: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | undefined;
}

export interface SchemaFindings {
  readonly sent: number;
  /** How many answers of each status there were. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The first that went wrong; undefined where none did. */
  readonly wrong: string | undefined;
}

/** Writes that travel together share their flush to the disk. */
const atOnce = 10;

/** Sends requests for an operation that the published document allows, or ones that it does not. */
export async function sendFromSchema(
  operation: DocumentedOperation,
  kind: 'valid' | 'invalid',
  count: number,
): Promise<SchemaFindings> {
  // Limited, so that answers have all the headers that they may have, and so high that none is refused.
  // It stops already, so that nothing is waited for and streams end at once.
  const stopping = AbortSignal.abort();
  await using app = await openTestApp({ rateLimit: { count: 1_000_000, seconds: 1 }, stopping });
  await app.createWorkspacePets(100);
  const statuses: Record<string, number> = {};
  const requests = kind === 'valid' ? validRequest(operation) : invalidRequest(operation);
  async function check(request: SchemaRequest): Promise<Response> {
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
  // Cut down, a request would have the Idempotency-Key of another, which is wrong in another way.
  const runs = { numRuns: count / atOnce, endOnFailure: true };
  const all = await Promise.all(Array.from({ length: atOnce }, () => fc.check(property, runs)));
  const found = all.find(({ failed }) => failed);
  const failed = found && `${found.errorInstance}: ${JSON.stringify(found.counterexample)}`;
  const fault = app.failures.length > 0 ? `${app.failures}` : undefined;
  const sent = Object.values(statuses).reduce((sum, times) => sum + times, 0);
  return { sent, statuses, wrong: failed ?? fault };
}

/** What is not there is 404, which an id that the schema allows may well be; a tag that it allows is mostly none of ours. */
function isExpected({ path }: DocumentedOperation, kind: 'valid' | 'invalid', status: number) {
  const isMissing =
    ((status === 404 || status === 412) && path.includes('{')) || isOfState(path, status);
  if (kind === 'valid') return (status >= 200 && status < 400) || isMissing;
  return status >= 400 && status < 500 && (status !== 404 || isMissing);
}

/**
 * An order is only for an animal that is there and available, and what it then does stands in the way of others; and most
 * positions were never given out.
 */
function isOfState(path: string, status: number): boolean {
  return (
    (status === 410 && path.startsWith('/events')) ||
    (status === 409 && /orders|pets\//.test(path)) ||
    (status === 404 && path.endsWith('/orders'))
  );
}

async function send({ app, apiKey }: TestApp, request: SchemaRequest): Promise<Response> {
  const { path, method, headers, body } = request;
  const sent = new Headers({ authorization: `Bearer ${apiKey}` });
  if (body !== undefined) sent.set('content-type', 'application/json');
  for (const [name, value] of headers) sent.set(name, value);
  const init = { method: method.toUpperCase(), headers: sent };
  // As bytes, so that the request has no content type but the one that was chosen.
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
    // Under strict handling, what the document does not list is an error, as the document says.
    const request = toRequest(operation, parts.values, parts.body, parts.unknown);
    return request.headers.some(([, value]) => value.includes('strict'))
      ? toRequest(operation, parts.values, plainBody(operation), undefined)
      : request;
  });
}

/** The least that is taken. */
function plainBody({ bodySchema }: DocumentedOperation): string {
  const { required = [] } = bodySchema === undefined ? {} : resolveSchema(bodySchema);
  const members = { name: 'Rex', categoryId: 1, petId: 1 };
  return JSON.stringify(members, [...required]);
}

/** One part is not what the document allows, and the rest is. */
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

/** PATCH and PUT accept what never changes only with its present value, one of all that the schema allows. */
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

/** Nor can a schema tell that a patch of nothing but unknown members is taken for a mistake. */
function toBody(operation: DocumentedOperation, text: string): string {
  const { method, bodySchema } = operation;
  if (method !== 'patch' || bodySchema === undefined) return text;
  const known = Object.keys(bodyOf(operation, bodySchema).properties ?? {});
  return Object.keys(JSON.parse(text)).some((name) => known.includes(name)) ? text : '{}';
}

/** Of a read, any text may be sent: one that says nothing known is as if it were left out. */
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

/** Texts that are no JSON, made of one that is. */
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

/** What is sent is more than any text that the schema allows: it has a meaning, or must be new each time. */
const validWords: Readonly<Record<string, Arbitrary<string>>> = {
  Prefer: fc.constantFrom('handling=strict', 'handling=lenient', 'respond-async', ''),
  'If-None-Match': fc.constantFrom('*', '"x"', 'W/"x", "y"'),
  'Idempotency-Key': fc.uuid(),
};

/** A key that any text could be would be the key of another request before long. */
const onlyWords = ['Idempotency-Key'];

const invalidWords: Readonly<Record<string, Arbitrary<string>>> = {
  Prefer: fc.constantFrom('=', 'handling=', 'handling="strict', 'a b', '@'),
  'Idempotency-Key': fc.constantFrom('', 'a b', '"', '"a', 'x'.repeat(256), '\u00e9', '"a\tb"'),
};

function validValues({ name, in: place, schema }: Parameter): Arbitrary<readonly string[]> {
  // Only an answer can give a good one: that of `Link` is followed where there is one.
  if (name === 'cursor') return fc.constant([]);
  const words = validWords[name]?.map((text) => [text]);
  if (words !== undefined && onlyWords.includes(name)) return words;
  const any = place === 'header' ? headerTexts(schema, true) : validTexts(schema);
  return words === undefined ? any : fc.oneof(words, any);
}

function invalidValues(parameter: Parameter): Arbitrary<readonly [Parameter, readonly string[]]> {
  const { name, in: place, schema } = parameter;
  // Whatever it looks like, a cursor that the service did not give out is refused.
  if (name === 'cursor') return fc.string({ unit: 'grapheme' }).map((text) => [parameter, [text]]);
  const words = invalidWords[name]?.map((text) => [text]);
  const any = place === 'header' ? headerTexts(schema, false) : invalidTexts(schema);
  return (
    (words === undefined ? any : fc.oneof(words, any))
      // An empty segment is another path, and what dots mean is for the parser of addresses to say.
      .filter(([text = '']) => place !== 'path' || !/^\.{0,2}$/.test(text))
      .map((texts) => [parameter, texts])
  );
}

/** Texts that a header can carry, and that the schema allows, or does not. */
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

export const schemaHostility: Hostility = {
  name: 'schema',
  title:
    'requests that the published document allows, and ones that it does not (3000 of each for every operation, with --long 100 000)',
  promise:
    'What the document allows is done, what it does not allow is refused with 4xx, and every answer is one that it lists, ' +
    'with its headers and the shape of its body.',
  async run({ long }) {
    const figures: string[] = [];
    const broken: string[] = [];
    for (const operation of documentedOperations) {
      for (const kind of ['valid', 'invalid'] as const) {
        const count = long ? runsMax.long : runsMax.quick;
        const { sent, statuses, wrong } = await sendFromSchema(operation, kind, count);
        const told = Object.entries(statuses).map(([status, times]) => `${times} of ${status}`);
        figures.push(`${operation.operationId}, ${sent} ${kind}: ${told.join(', ')}`);
        if (wrong !== undefined) broken.push(`${operation.operationId}: ${wrong}`);
      }
    }
    return { figures, broken };
  },
};
