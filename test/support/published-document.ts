import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { parse } from 'yaml';
import { z } from 'zod';

/** The parsed published document. */
export const publishedDocument: unknown = parse(
  await Bun.file(join(import.meta.dir, '../../openapi.yaml')).text(),
);

const typeSchema = z.enum(['string', 'integer', 'boolean', 'array', 'object', 'null']);

/** The parts of a JSON Schema that the published document uses. */
const schemaSchema = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([typeSchema, z.array(typeSchema)]).optional(),
  enum: z.array(z.string()).optional(),
  format: z.enum(['int32', 'int64', 'date-time']).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  pattern: z.string().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  get items() {
    return schemaSchema.optional();
  },
  get oneOf() {
    return z.array(schemaSchema).optional();
  },
  get properties() {
    return z.record(z.string(), schemaSchema).optional();
  },
  required: z.array(z.string()).optional(),
});

export type Schema = z.infer<typeof schemaSchema>;

const parameterSchema = z.looseObject({
  name: z.string(),
  in: z.enum(['query', 'path', 'header']),
  required: z.boolean().default(false),
  schema: schemaSchema,
  example: z.unknown().optional(),
});

export type Parameter = z.infer<typeof parameterSchema>;

const responseSchema = z.looseObject({
  headers: z
    .record(z.string(), z.looseObject({ required: z.boolean().default(false) }))
    .default({}),
  content: z
    .record(
      z.string(),
      z.looseObject({
        examples: z.record(z.string(), z.looseObject({ value: z.unknown() })).default({}),
      }),
    )
    .default({}),
});

/** The parts of the published document that tests create requests from and compare answers with. */
const documentSchema = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        'x-stability': z.string().optional(),
        parameters: z.array(parameterSchema).default([]),
        requestBody: z
          .looseObject({ content: z.record(z.string(), z.looseObject({ schema: schemaSchema })) })
          .optional(),
        responses: z.record(z.string(), responseSchema),
      }),
    ),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), schemaSchema) }),
});

/** As it appears in answers. */
function isDateTime(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}

const document = documentSchema.parse(inline(publishedDocument));
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { int32: true, int64: true, 'date-time': isDateTime },
});
ajv.addSchema(document, 'document');
const validators = new Map<string, ValidateFunction>();

/** Replaces all references except those to schemas by their targets. */
function inline(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inline);
  const { $ref } = Object(value);
  if (typeof $ref === 'string' && !$ref.startsWith('#/components/schemas/')) {
    return inline(findReferred($ref));
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inline(member)]));
}

/** The target of a reference. */
export function findReferred($ref: string): unknown {
  const names = $ref
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/'));
  const found = names.reduce<unknown>((value, name) => Object(value)[name], publishedDocument);
  if (found === undefined) throw new Error(`The document has nothing at ${$ref}`);
  return found;
}

/** The document does not describe headers that HTTP itself, caches and browsers need. */
const undescribedHeaders = [
  /^(?:date|content-(?:type|length|encoding)|connection|cache-control|vary)$/,
  /^access-control-|^x-content-type-options$/,
];

export interface DocumentedOperation {
  readonly operationId: string;
  /** Such as `/pets/{petId}`. */
  readonly path: string;
  /** In lower case. */
  readonly method: string;
  readonly parameters: readonly Parameter[];
  /** Undefined if it is stable. */
  readonly stability: string | undefined;
  /** Undefined if it accepts no body. */
  readonly bodySchema: Schema | undefined;
  /** By HTTP status. */
  readonly responses: Readonly<Record<string, z.infer<typeof responseSchema>>>;
}

export const documentedOperations: readonly DocumentedOperation[] = Object.entries(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters, requestBody, ...more }]) => ({
    operationId,
    path,
    method,
    stability: more['x-stability'],
    parameters,
    bodySchema: requestBody?.content['application/json']?.schema,
    responses: more.responses,
  })),
);

/** The headers of an answer that a document must describe, in lower case. */
export function describedHeaders({ headers }: Response): string[] {
  return [...headers.keys()].filter(
    (name) => !undescribedHeaders.some((pattern) => pattern.test(name)),
  );
}

/** A schema, or the target of its reference. */
export function resolveSchema(schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  if (name === undefined) return schema;
  const found = document.components.schemas[name];
  if (found === undefined) throw new Error(`The document has no schema ${name}`);
  return found;
}

/** The parts of an answer that the document does not list for the operation: its status, headers, or the shape of its body. */
export function undocumented(operationId: string, response: Response, body: string): string[] {
  const operation = findOperation(operationId);
  const status = String(response.status);
  const answer = operation.responses[status];
  if (answer === undefined) return [`status ${status}`];
  const listed = new Map(
    Object.entries(answer.headers).map(([name, header]) => [name.toLowerCase(), header]),
  );
  const sent = describedHeaders(response);
  const promised = [...listed].filter(([, { required }]) => required).map(([name]) => name);
  const faults = [
    ...sent.filter((name) => !listed.has(name)).map((name) => `header ${name}`),
    ...promised.filter((name) => !sent.includes(name)).map((name) => `no header ${name}`),
  ];
  if (Object.keys(answer.content).length === 0) {
    return body === '' ? faults : [...faults, 'a body'];
  }
  const mediaType = response.headers.get('content-type') ?? '';
  // A stream has no schema.
  if (mediaType === 'text/event-stream' && mediaType in answer.content) return faults;
  const validate = validatorOf([
    'paths',
    operation.path,
    operation.method,
    'responses',
    status,
    'content',
    mediaType,
    'schema',
  ]);
  const value = mediaType === 'application/json' ? JSON.parse(body) : body;
  if (!validate(value)) faults.push(ajv.errorsText(validate.errors));
  return faults;
}

function findOperation(operationId: string): DocumentedOperation {
  const found = documentedOperations.find((each) => each.operationId === operationId);
  if (found === undefined) throw new Error(`The document has no operation ${operationId}`);
  return found;
}

function validatorOf(path: readonly string[]): ValidateFunction {
  const pointer = path.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const $ref = `document#/${encodeURI(pointer)}`;
  const validator = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validator);
  return validator;
}
