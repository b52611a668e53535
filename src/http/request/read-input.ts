import { z } from 'zod';
import { echo, type HideApiKeys } from '../../domain/echo.ts';
import { parseInt64 } from '../../domain/values/int64.ts';
import { type Failure, fail, isFailure } from '../answer/answer.ts';
import type { ConsoleOperation } from '../console/console-operation.ts';
import type { Members, Operation } from '../operation.ts';
import type { OperationServices, RequestContext } from '../request-context.ts';
import { readPrefersStrict } from './prefer.ts';
import type { JsonText } from './read-json.ts';

/** As many faults as one message lists. */
const faultsMax = 10;

/** What a request sent, checked. */
export interface SentInput {
  readonly path: Members;
  readonly query: Members;
  readonly body: Members | undefined;
}

/** Checks all that a request sent for an operation: 400, or 404 for a path parameter. */
export function readInput(
  { request, target, pathParameters }: RequestContext,
  { operation, hideApiKeys: hide }: OperationServices,
  json: JsonText | undefined,
): { readonly sent: SentInput; readonly strict: boolean } | Failure {
  const prefer = request.headers.get('prefer');
  const strict = prefer !== null && readPrefersStrict(prefer);
  if (isFailure(strict)) return strict;
  const path = operation.pathParameters
    ? readPath(operation.pathParameters, pathParameters, hide)
    : {};
  if (isFailure(path)) return path;
  const search = readSearch(target.search);
  const query = operation.queryParameters ? readQuery(operation.queryParameters, search, hide) : {};
  if (isFailure(query)) return query;
  const requestBody = requestBodyOf(operation);
  const body = requestBody && readOperationBody(operation, requestBody, json, path, hide);
  if (isFailure(body)) return body;
  const unknown = strict ? findUnknownInput(operation, search, json, hide) : undefined;
  return unknown ?? { sent: { path, query, body }, strict };
}

function readOperationBody(
  operation: Operation | ConsoleOperation,
  requestBody: z.ZodObject,
  json: JsonText | undefined,
  path: Members,
  hide: HideApiKeys,
): Members | Failure {
  return readBody(requestBody, json?.value, hide, {
    isPatch: operation.method === 'PATCH',
    faultsOf: (value) =>
      'bodyFaults' in operation ? (operation.bodyFaults?.(value, path) ?? []) : [],
  });
}

export function requestBodyOf(operation: Operation | ConsoleOperation): z.ZodObject | undefined {
  return operation.kind === 'write' || operation.kind === 'console'
    ? operation.requestBody
    : undefined;
}

/** With `Prefer: handling=strict`, parameters and members that the document does not have are rejected. */
function findUnknownInput(
  operation: Operation | ConsoleOperation,
  search: SentQuery,
  json: JsonText | undefined,
  hide: HideApiKeys,
): Failure | undefined {
  const names = search.map(([name]) => name);
  const requestBody = requestBodyOf(operation);
  return (
    findUnknown('query parameter', names, operation.queryParameters, hide) ??
    (requestBody && findUnknown('member', Object.keys(Object(json?.value)), requestBody, hide))
  );
}

/** Checks path parameters. A value that does not match its schema names no record. */
export function readPath<Schema extends z.ZodObject>(
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
export type SentQuery = readonly (readonly [name: string, text: string])[];

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
  for (const { name, type, isList } of parametersOf(schema)) {
    const texts = query.filter((pair) => pair[0] === name).map((pair) => pair[1]);
    sent[name] = isList ? texts : texts[0];
    if (texts.includes('')) {
      faults.push(`${name} must not be empty`);
    } else if (isList) {
      if (texts.length > 0) values[name] = texts.map((text) => readText(type, text));
    } else if (texts.length > 1) {
      faults.push(`${name} must appear only once, but appears ${texts.length} times`);
    } else if (texts[0] !== undefined) {
      values[name] = readText(type, texts[0]);
    }
  }
  const result = schema.safeParse(values);
  const messages = faults.concat(result.success ? [] : describeIssues(result.error, sent, hide));
  if (result.success && messages.length === 0) return result.data;
  return fail('invalid_parameter', joinFaults(messages));
}

export interface BodyRules {
  /** Absent members keep their values, and `null` removes none. */
  readonly isPatch: boolean;
  /** Faults that the schema cannot find. The body may also have others. */
  readonly faultsOf: (body: Readonly<Record<string, unknown>>) => readonly string[];
}

/** Checks a body. The message lists its faults in the order of the schema. */
export function readBody<Schema extends z.ZodObject>(
  schema: Schema,
  value: unknown,
  hide: HideApiKeys,
  { isPatch, faultsOf }: BodyRules,
): z.infer<Schema> | Failure {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fail('invalid_body', `The body must be a JSON object, got ${echo(value, hide)}`);
  }
  const result = schema.safeParse(value);
  const own = faultsOf(value as Readonly<Record<string, unknown>>);
  if (result.success && own.length === 0) return result.data;
  const issues = result.success ? [] : describeIssues(result.error, value, hide, isPatch);
  return fail('invalid_body', joinFaults([...own, ...issues]));
}

/** The failure for names that the schema does not have. */
export function findUnknown(
  kind: 'query parameter' | 'member',
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
    joinFaults(unknown.map((name) => `${echo(name, hide)} is not a ${kind} of this operation`)),
  );
}

function joinFaults(faults: readonly string[]): string {
  return faults.slice(0, faultsMax).join('; ');
}

function describeIssues(
  error: z.ZodError,
  values: object,
  hide: HideApiKeys,
  isPatch = false,
): string[] {
  return error.issues.slice(0, faultsMax).map((issue) => {
    const [name, index] = issue.path;
    const value: unknown = (values as Record<PropertyKey, unknown>)[name ?? ''];
    if (value === undefined) return `${String(name)} is required`;
    if (isPatch && value === null) {
      return `${String(name)} must not be null; leave it out to keep it as it is`;
    }
    const found = Array.isArray(value) && typeof index === 'number' ? value[index] : value;
    const isTooMany = issue.code === 'too_big' && Array.isArray(found);
    const got = isTooMany ? `${found.length} times` : echo(found, hide);
    return `${String(name)} ${issue.message}, got ${got}`;
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
