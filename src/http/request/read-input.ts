import { z } from 'zod';
import type { HideApiKeys } from '../../domain/access/hide-api-keys.ts';
import { echo } from '../../domain/echo.ts';
import { parseInt64 } from '../../domain/values/int64.ts';
import { type Failure, fail, isFailure } from '../failure.ts';
import type { Members, OperationBase } from '../operation.ts';
import type { RequestContext } from '../request-context.ts';
import { readPrefersStrict } from './prefer.ts';
import type { JsonText } from './read-json.ts';

/** The maximum number of faults in one message. */
const faultsMax = 10;

/** What a request sent, checked. */
export interface SentInput {
  readonly path: Members;
  readonly query: Members;
  readonly body: Members | undefined;
  /** With `Prefer: handling=strict`, parameters and members that the document does not have are rejected. */
  readonly strict: boolean;
}

/** Checks all that a request sent for an operation: 400, or 404 for a path parameter. */
export function readInput(
  { request, target, pathParameters }: RequestContext,
  hide: HideApiKeys,
  operation: OperationBase,
  json: JsonText | undefined,
): SentInput | Failure {
  const { pathParameters: pathSchema, queryParameters: querySchema, requestBody } = operation;
  const prefer = request.headers.get('prefer');
  const strict = prefer !== null && readPrefersStrict(prefer);
  if (isFailure(strict)) return strict;
  const path = pathSchema ? readPath(pathSchema, pathParameters, hide) : {};
  if (isFailure(path)) return path;
  const search = readSearch(target.search);
  const query = querySchema ? readQuery(querySchema, search, hide) : {};
  if (isFailure(query)) return query;
  const body = requestBody && readBody(operation, requestBody, json?.value, path, hide);
  if (isFailure(body)) return body;
  if (strict) {
    const names = search.map(([name]) => name);
    const members = requestBody === undefined ? [] : Object.keys(Object(json?.value));
    const unknown =
      findUnknown('query parameter', names, querySchema, hide) ??
      findUnknown('member', members, requestBody, hide);
    if (unknown !== undefined) return unknown;
  }
  return { path, query, body, strict };
}

/** Checks path parameters. A value that does not match its schema names no record. */
function readPath<Schema extends z.ZodObject>(
  schema: Schema,
  texts: Readonly<Record<string, string>>,
  hide: HideApiKeys,
): z.infer<Schema> | Failure {
  const values: Record<string, unknown> = {};
  for (const { name, type } of parametersOf(schema)) {
    values[name] = readText(type, texts[name] ?? '');
  }
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const given = Object.entries(texts).map(([name, text]) => `${name} ${echo(text, hide)}`);
  return fail('not_found', `There is nothing at ${given.join(', ')}`);
}

/** A query as it was sent: names and values, in order. */
type SentQuery = readonly (readonly [name: string, text: string])[];

/** Visible ASCII without `%` and `+`. */
const plainSearch = /^[!-$&-*,-~]*$/;

/** Parses the text after the `?`. Without escapes, splitting it takes a third of the time. */
export function readSearch(search: string): SentQuery {
  if (search === '') return [];
  if (!plainSearch.test(search)) return [...new URLSearchParams(`?${search}`)];
  const pairs = search.split('&').filter((pair) => pair !== '');
  return pairs.map((pair) => {
    const equals = pair.indexOf('=');
    return equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
  });
}

/** Checks the declared query parameters and ignores all others. */
export function readQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: SentQuery,
  hide: HideApiKeys,
): z.infer<Schema> | Failure {
  const values: Record<string, unknown> = {};
  const sent: Record<string, unknown> = {};
  const faults: string[] = [];
  const textsOf = new Map<string, string[]>();
  for (const [name, text] of query) {
    const texts = textsOf.get(name);
    if (texts === undefined) textsOf.set(name, [text]);
    else texts.push(text);
  }
  for (const { name, type, isList } of parametersOf(schema)) {
    const texts = textsOf.get(name);
    if (texts === undefined) continue;
    sent[name] = isList ? texts : texts[0];
    if (texts.includes('')) {
      faults.push(`${name} must not be empty`);
    } else if (isList) {
      values[name] = texts.map((text) => readText(type, text));
    } else if (texts.length > 1) {
      faults.push(`${name} must appear only once, but appears ${texts.length} times`);
    } else if (texts[0] !== undefined) {
      values[name] = readText(type, texts[0]);
    }
  }
  if (query.some(([name]) => name.includes('['))) {
    faults.push(...findBrackets(textsOf.keys(), schema));
  }
  const result = schema.safeParse(values);
  const messages = faults.concat(result.success ? [] : describeIssues(result.error, sent, hide));
  if (result.success && messages.length === 0) return result.data;
  return fail('invalid_parameter', joinFaults(messages));
}

/**
 * Some programs send a list as `id[]=1&id[]=2` or `id[0]=1`. As an unknown parameter, it would be a filter without effect.
 */
function findBrackets(names: Iterable<string>, schema: z.ZodObject): readonly string[] {
  const lists = parametersOf(schema).filter(({ isList }) => isList);
  return [...names].flatMap((sent) => {
    const name = /^([^[]+)(?:\[[^\]]*\])+$/.exec(sent)?.[1];
    return lists.some((list) => list.name === name)
      ? [`${name} must be sent without brackets, as ${name}=…&${name}=… if it has several values`]
      : [];
  });
}

/** Checks a body. The message lists its faults in the order of the schema. */
export function readBody<Schema extends z.ZodObject>(
  operation: Pick<OperationBase, 'method' | 'bodyFaults'>,
  schema: Schema,
  value: unknown,
  path: Members,
  hide: HideApiKeys,
): z.infer<Schema> | Failure {
  if (!isObject(value)) {
    return fail('invalid_body', `The body must be a JSON object, got ${echo(value, hide)}`);
  }
  const isPatch = operation.method === 'PATCH';
  const result = schema.safeParse(value);
  const own =
    operation.bodyFaults?.(value) ??
    ('id' in schema.shape ? recordFaults(schema, value, path, isPatch) : []);
  if (result.success && own.length === 0) return result.data;
  const issues = result.success ? [] : describeIssues(result.error, value, hide, isPatch);
  return fail('invalid_body', joinFaults([...own, ...issues]));
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Faults of a record that its schema cannot find: an `id` other than that of the path, and a JSON Merge Patch (RFC 7396) that is
 * not `{}` but changes nothing, which is probably a mistake. The schema rejects an `id` that is no integer.
 */
function recordFaults(
  { shape }: z.ZodObject,
  body: Members,
  path: Members,
  isPatch: boolean,
): readonly string[] {
  const [id] = Object.values(path);
  if (body.id !== undefined && typeof body.id !== 'bigint') return [];
  if (body.id !== undefined && body.id !== id) {
    return [`id must be that of the path, ${id}, got ${body.id}`];
  }
  const members = Object.keys(shape).filter((name) => name !== 'id');
  const isEmpty = Object.keys(body).length === 0;
  return !isPatch || isEmpty || members.some((name) => Object.hasOwn(body, name))
    ? []
    : [`The body must have one of ${members.join(', ')}, or no member`];
}

/** The failure for names that the schema does not have. */
export function findUnknown(
  what: 'query parameter' | 'member',
  names: Iterable<string>,
  schema: z.ZodObject | undefined,
  hide: HideApiKeys,
): Failure | undefined {
  const known = schema?.shape ?? {};
  const unknown = [...new Set(names)]
    .filter((name) => !Object.hasOwn(known, name))
    .slice(0, faultsMax);
  if (unknown.length === 0) return undefined;
  return fail(
    'unknown_field',
    joinFaults(unknown.map((name) => `${echo(name, hide)} is not a ${what} of this operation`)),
  );
}

function joinFaults(faults: readonly string[]): string {
  return faults.slice(0, faultsMax).join('; ');
}

function describeIssues(
  error: z.ZodError,
  values: Members,
  hide: HideApiKeys,
  isPatch = false,
): string[] {
  return error.issues.slice(0, faultsMax).map((issue) => {
    const [name, index, member] = issue.path;
    const value = values[String(name)];
    if (value === undefined) return `${String(name)} is required`;
    if (isPatch && value === null) {
      return `${String(name)} must not be null; leave it out to keep it as it is`;
    }
    const item = Array.isArray(value) && typeof index === 'number' ? value[index] : value;
    // A member of an item, such as of a row.
    const where = member === undefined ? String(name) : issue.path.map(String).join('.');
    const found = member === undefined ? item : Object(item)[member];
    if (found === undefined) return `${where} is required`;
    const isTooMany = issue.code === 'too_big' && Array.isArray(found);
    const got = isTooMany ? String(found.length) : echo(found, hide);
    return `${where} ${issue.message}, got ${got}`;
  });
}

/** A parameter is text. If its schema requires a number, canonical digits become one. */
function readText(type: string, text: string): unknown {
  if (type === 'bigint') return parseInt64(text) ?? text;
  if (type === 'number') return /^(?:0|-?[1-9][0-9]{0,14})$/.test(text) ? Number(text) : text;
  return text;
}

interface Parameter {
  readonly name: string;
  /** The type of the value, or of each item of a list. */
  readonly type: string;
  readonly isList: boolean;
}

const parametersOfSchemas = new WeakMap<z.ZodObject, readonly Parameter[]>();

/** The parameters of a schema, looked up once. */
function parametersOf(schema: z.ZodObject): readonly Parameter[] {
  let parameters = parametersOfSchemas.get(schema);
  if (parameters === undefined) {
    parameters = Object.entries(schema.shape).map(([name, parameter]) => {
      const inner = unwrap(parameter);
      const isList = inner instanceof z.ZodArray;
      return { name, type: (isList ? unwrap(inner.element) : inner)._zod.def.type, isList };
    });
    parametersOfSchemas.set(schema, parameters);
  }
  return parameters;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? unwrap(schema.unwrap())
    : schema;
}
