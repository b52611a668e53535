// Makes src/contract.ts of the declarations of the service: types, the fields of 64 bits, error codes and operation ids.

import { join } from 'node:path';
import { eventTypes } from '../src/domain/event.ts';
import { orderStatuses } from '../src/domain/order.ts';
import { errorCodes } from '../src/http/answer/answer.ts';
import { describeOperations } from '../src/http/openapi/openapi.ts';
import { operations } from '../src/http/operations.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

const document = JSON.parse(describeOperations(operations).toJson([])) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Members of responses to which values may be added, and the type that lists their known values. */
const openMembers = new Map([['Order.status', 'OrderStatus']]);

/** Errors are a class of the client. What an event contains depends on its type. */
const handwritten = ['Error', 'Event', 'EventRecord'];

/** Pages are iterators of the client. */
const schemas = Object.entries(document.components.schemas).filter(
  ([name, { type }]) => type !== 'array' && !handwritten.includes(name),
);

/** What is sent may be a number where that is exact; what is answered is a bigint. */
function typeOf(schema: Schema, isSent: boolean): string {
  if (schema.$ref !== undefined) return schema.$ref.replace(/.*\//, '');
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ');
  if (schema.type === 'integer') {
    if (schema.format !== 'int64') return 'number';
    return isSent ? 'bigint | number' : 'bigint';
  }
  if (schema.type === 'string' || schema.type === 'boolean') return schema.type;
  throw new Error(`There is no type for ${JSON.stringify(schema)}`);
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

function declare([name, schema]: readonly [string, Schema]): string {
  const { description, properties, required = [] } = schema;
  if (properties === undefined) {
    return `${comment(description, '')}export type ${name} = ${typeOf(schema, false)};\n`;
  }
  const isSent = /^New|(Patch|Replacement)$/.test(name);
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

/** What all events have. The members that depend on the type of the event come from `declareEventData`. */
function declareEventEnvelope(): string {
  const { properties = {}, ...event } = document.components.schemas.Event ?? {};
  const { type: _type, data: _data, previous: _previous, ...shared } = properties;
  return declare(['EventEnvelope', { ...event, properties: shared }]);
}

/** The record in an event of each type. It follows from the list of types, because the document does not relate the two. */
function declareEventData(): string {
  const members = eventTypes.map((type) => {
    const [kind = ''] = type.split('.');
    const record = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    const isRecord = schemas.some(([name]) => name === record);
    return `  readonly '${type}': ${isRecord ? record : 'Record<string, never>'};\n`;
  });
  return `/** The record in an event of each type. */\nexport interface EventData {\n${members.join('')}}\n`;
}

/** Names of members that are of 64 bits, wherever they stand. */
function findInt64Fields(): string[] {
  const formats = new Map<string, Set<string>>();
  for (const { properties = {} } of Object.values(document.components.schemas)) {
    for (const [name, { type, format = '' }] of Object.entries(properties)) {
      if (type !== 'integer' && type !== 'number') continue;
      formats.set(name, (formats.get(name) ?? new Set()).add(format));
    }
  }
  return [...formats].flatMap(([name, found]) => {
    if (!found.has('int64')) return [];
    if (found.size > 1) throw new Error(`${name} is of 64 bits in some places alone`);
    return [name];
  });
}

function list(name: string, values: readonly string[]): string {
  return `export const ${name} = [\n${values.map((value) => `  '${value}',\n`).join('')}] as const;\n`;
}

export function makeContract(): string {
  return [
    '// Made by `npm run openapi` of the declarations of the service. Do not edit.\n',
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
    '/** Members that are integers of 64 bits: bigints in answers. */',
    list('int64Fields', findInt64Fields()),
    '/** States of orders; new ones may be added. */',
    `export type OrderStatus = ${orderStatuses.map((status) => `'${status}'`).join(' | ')};\n`,
    ...schemas.map(declare),
    declareEventEnvelope(),
    declareEventData(),
  ].join('\n');
}

export const contractPath = join(import.meta.dir, 'src/contract.ts');

if (import.meta.main) await Bun.write(contractPath, makeContract());
