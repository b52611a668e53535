// Generates two contracts from the operations: client/src/contract.ts for the client, with types, the names of 64-bit members,
// error codes and operation ids; and console/src/contract.ts for the console, with the operations that only the console calls.

import { join } from 'node:path';
import { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { eventTypes } from '../src/domain/event.ts';
import { orderStatuses } from '../src/domain/order.ts';
import { webhookStatuses } from '../src/domain/webhook.ts';
import type { ConsoleOperation } from '../src/http/console/console-operation.ts';
import { consoleOperations } from '../src/http/console/console-operations.ts';
import { sessionHeader } from '../src/http/console/find-session.ts';
import { errorCodes } from '../src/http/failure.ts';
import { describeOperations } from '../src/http/openapi/openapi.ts';
import { webhookDisablingSchema } from '../src/http/operations/event-schema.ts';
import { operations } from '../src/http/operations.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

type Schemas = Readonly<Record<string, Schema>>;

const document = JSON.parse(describeOperations(operations).toJson([])) as {
  readonly components: { readonly schemas: Schemas };
};

/** Members of responses to which values may be added, and the type that lists their known values. */
const openMembers = new Map([
  ['Order.status', 'OrderStatus'],
  ['Webhook.status', 'WebhookStatus'],
  ['CreatedWebhook.status', 'WebhookStatus'],
]);

/** Errors are a class of the client. What an event contains depends on its type. */
const handwritten = ['Error', 'Event', 'EventRecord'];

/** Pages are iterators of the client. */
const schemas = Object.entries(document.components.schemas).filter(
  ([name, { type }]) => type !== 'array' && !handwritten.includes(name),
);

/** In a request, an integer can be a number if that is exact. In a response, it is a bigint. */
function typeOf(schema: Schema, isSent: boolean): string {
  const { $ref, type, format, items } = schema;
  if ($ref !== undefined) return $ref.replace(/.*\//, '');
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ');
  if (type === 'integer') {
    if (format !== 'int64') return 'number';
    return isSent ? 'bigint | number' : 'bigint';
  }
  if (type === 'array' && items !== undefined) {
    const item = typeOf(items, isSent);
    return `readonly ${item.includes(' ') ? `(${item})` : item}[]`;
  }
  const choices =
    typeof type === 'object'
      ? type.map((one) => ({ ...schema, type: one }))
      : (schema.anyOf ?? schema.oneOf);
  if (choices !== undefined) return choices.map((one) => typeOf(one, isSent)).join(' | ');
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  throw new Error(`There is no type for ${JSON.stringify(schema)}`);
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

function declare([name, schema]: readonly [string, Schema], isSent: boolean): string {
  const { description, properties, required = [] } = schema;
  if (properties === undefined) {
    return `${comment(description, '')}export type ${name} = ${typeOf(schema, false)};\n`;
  }
  const members = Object.entries(properties).map(([member, schema]) => {
    const mark = required.includes(member) ? '' : '?';
    const undefinable = mark === '' ? '' : ' | undefined';
    const known = openMembers.get(`${name}.${member}`);
    // The intersection keeps the known values apart from `string`, so that editors suggest them.
    const type = known === undefined ? typeOf(schema, isSent) : `${known} | (string & {})`;
    return `${comment(schema.description, '  ')}  readonly ${member}${mark}: ${type}${undefinable};\n`;
  });
  return `${comment(description, '')}export interface ${name} {\n${members.join('')}}\n`;
}

/** The members of all events. Those that depend on the type of the event come from `declareEventData`. */
function declareEventEnvelope(): string {
  const { properties = {}, ...event } = document.components.schemas.Event ?? {};
  const { type: _type, data: _data, previous: _previous, ...shared } = properties;
  return declare(['EventEnvelope', { ...event, properties: shared }], false);
}

/** What `webhook.disabled` contains. The document has its members in the schema of all records. */
function declareWebhookDisabling(): string {
  const { schema } = createSchema(webhookDisablingSchema, { io: 'output' });
  return declare(['WebhookDisabling', schema as Schema], false);
}

/** The record in an event of each type. It follows from the list of types, because the document relates neither it nor its members. */
function declareEventData(): string {
  const { properties: inEvents = {} } = document.components.schemas.EventRecord ?? {};
  const members = eventTypes.map((type) => {
    const [kind = ''] = type.split('.');
    if (type === 'webhook.disabled') return `  readonly '${type}': WebhookDisabling;\n`;
    const record = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    const { properties } = document.components.schemas[record] ?? {};
    if (properties === undefined) return `  readonly '${type}': Record<string, never>;\n`;
    const absent = Object.keys(properties).filter((name) => !(name in inEvents));
    const names = absent.map((name) => `'${name}'`).join(' | ');
    return `  readonly '${type}': ${names === '' ? record : `Omit<${record}, ${names}>`};\n`;
  });
  return `/** The record in an event of each type. */\nexport interface EventData {\n${members.join('')}}\n`;
}

/** Names of members that are 64-bit integers, in every schema that has them. */
function findInt64Fields(all: Schemas): string[] {
  const formats = new Map<string, Set<string>>();
  for (const { properties = {} } of Object.values(all)) {
    for (const [name, { type, format = '' }] of Object.entries(properties)) {
      if (type !== 'integer' && type !== 'number') continue;
      formats.set(name, (formats.get(name) ?? new Set()).add(format));
    }
  }
  return [...formats].flatMap(([name, found]) => {
    if (!found.has('int64')) return [];
    if (found.size > 1) throw new Error(`${name} is int64 only in some schemas`);
    return [name];
  });
}

function list(name: string, values: readonly string[]): string {
  return `export const ${name} = [\n${values.map((value) => `  '${value}',\n`).join('')}] as const;\n`;
}

const int64Fields = findInt64Fields(document.components.schemas);
const sentNames = operations.flatMap(({ requestBody }) => (requestBody ? nameOf(requestBody) : []));

export function makeContract(): string {
  return [
    '// Generated by `npm run openapi` from the operations. Do not edit.\n',
    list(
      'operationIds',
      operations.map(({ operationId }) => operationId),
    ),
    'export type OperationId = (typeof operationIds)[number];\n',
    '/** Codes of errors; new ones may be added. */',
    list('errorCodes', errorCodes),
    'export type ErrorCode = (typeof errorCodes)[number];\n',
    '/** Types of events; new ones may be added. */',
    list('eventTypes', eventTypes),
    'export type EventType = (typeof eventTypes)[number];\n',
    '/** Members that are 64-bit integers: bigints in responses. */',
    list('int64Fields', int64Fields),
    '/** States of orders; new ones may be added. */',
    `export type OrderStatus = ${orderStatuses.map((status) => `'${status}'`).join(' | ')};\n`,
    '/** States of webhooks; new ones may be added. */',
    `export type WebhookStatus = ${webhookStatuses.map((status) => `'${status}'`).join(' | ')};\n`,
    ...schemas.map((schema) => declare(schema, sentNames.includes(schema[0]))),
    declareEventEnvelope(),
    declareWebhookDisabling(),
    declareEventData(),
  ].join('\n');
}

function nameOf(schema: z.ZodType | undefined): string {
  const id = schema === undefined ? 'undefined' : schema.meta()?.id;
  if (id === undefined) throw new Error('A schema of a request or response has no name');
  return id;
}

/** The input and the answer of one operation. Every parameter can be sent as text or as a number. */
function declareCall(operation: ConsoleOperation): string {
  const { operationId, summary, pathParameters, queryParameters, requestBody } = operation;
  const value = 'string | number | bigint';
  const parameters = namesOf(pathParameters).map((name) => `readonly ${name}: ${value}`);
  const query = namesOf(queryParameters).map((name) => `readonly ${name}?: ${value} | undefined`);
  const members = [
    parameters.length > 0 && `readonly parameters: { ${parameters.join('; ')} }`,
    query.length > 0 && `readonly query: { ${query.join('; ')} }`,
    requestBody && `readonly body: ${nameOf(requestBody)}`,
  ].filter(Boolean);
  return `${comment(summary, '  ')}  readonly ${operationId}: {
    readonly input: {${members.length === 0 ? '' : ` ${members.join('; ')} `}};
    readonly answer: ${nameOf(operation.success.schema)};
  };\n`;
}

function namesOf(schema: z.ZodObject | undefined): string[] {
  return Object.keys(schema?.shape ?? {});
}

export function makeConsoleContract(): string {
  const bodies = consoleOperations.flatMap(({ requestBody }) => requestBody ?? []);
  const answers = consoleOperations.flatMap(({ success: { schema } }) => schema ?? []);
  const sent = createSchema(z.union(bodies), { io: 'input' }).components as Schemas;
  const answered = createSchema(z.union(answers), { io: 'output' }).components as Schemas;
  // The client reads integers by the names of their members.
  for (const name of findInt64Fields(answered)) {
    if (!int64Fields.includes(name)) throw new Error(`The client reads no bigint in ${name}`);
  }
  const paths = consoleOperations.map(
    ({ operationId, method, path }) =>
      `  ${operationId}: { method: '${method}', path: '${path}' },\n`,
  );
  return [
    '// Generated by `npm run openapi` from the operations. Do not edit.\n',
    '/** Names the session and the workspace that a page shows. */',
    `export const sessionHeader = '${sessionHeader}';\n`,
    '/** The operations that only the console calls. */',
    `export const consoleOperations = {\n${paths.join('')}} as const;\n`,
    ...Object.entries({ ...sent, ...answered }).map((schema) => declare(schema, schema[0] in sent)),
    '/** The input and the answer of each operation. */',
    `export interface ConsoleCalls {\n${consoleOperations.map(declareCall).join('')}}\n`,
  ].join('\n');
}

export const contractPath = join(import.meta.dir, '../client/src/contract.ts');
const consoleContractPath = join(import.meta.dir, '../console/src/contract.ts');

if (import.meta.main) {
  await Bun.write(contractPath, makeContract());
  await Bun.write(consoleContractPath, makeConsoleContract());
}
