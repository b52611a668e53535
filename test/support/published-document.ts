import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { parse } from 'yaml';
import { z } from 'zod';

const text = await Bun.file(join(import.meta.dir, '../../openapi.yaml')).text();

/** The parts of a JSON Schema that the published document uses. */
const schemaSchema = z.looseObject({
  $ref: z.string().optional(),
  type: z.enum(['string', 'integer', 'array', 'object']).optional(),
  enum: z.array(z.string()).optional(),
  format: z.literal('int64').optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  pattern: z.string().optional(),
  maxItems: z.number().optional(),
  get items() {
    return schemaSchema.optional();
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
});

export type Parameter = z.infer<typeof parameterSchema>;

/** The parts of the published document that requests are made from, and that an answer is held against. */
const documentSchema = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        parameters: z.array(parameterSchema).default([]),
        requestBody: z
          .looseObject({ content: z.record(z.string(), z.looseObject({ schema: schemaSchema })) })
          .optional(),
        responses: z.record(
          z.string(),
          z.looseObject({ headers: z.record(z.string(), z.unknown()).default({}) }),
        ),
      }),
    ),
  ),
  components: z.looseObject({
    headers: z.record(z.string(), z.unknown()),
    schemas: z.record(z.string(), schemaSchema),
  }),
});

const document = documentSchema.parse(parse(text));
const headerNames = Object.keys(document.components.headers);
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int64: true } });
ajv.addSchema(document, 'document');
const validators = new Map<string, ValidateFunction>();

/** Headers that the document lists with a response, and which not every such response has. */
const conditional = [
  'Idempotent-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'Link',
  'Location',
  'Deprecation',
  'Preference-Applied',
];

export interface DocumentedOperation {
  readonly operationId: string;
  /** Such as `/pets/{petId}`. */
  readonly path: string;
  /** In lower case. */
  readonly method: string;
  readonly parameters: readonly Parameter[];
  /** Undefined where no body is taken. */
  readonly bodySchema: Schema | undefined;
}

export const documentedOperations: readonly DocumentedOperation[] = Object.entries(
  document.paths,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId, parameters, requestBody }]) => ({
    operationId,
    path,
    method,
    parameters,
    bodySchema: requestBody?.content['application/json']?.schema,
  })),
);

/** A schema, or the one that it refers to. */
export function resolveSchema(schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  if (name === undefined) return schema;
  const found = document.components.schemas[name];
  if (found === undefined) throw new Error(`The document has no schema ${name}`);
  return found;
}

/** What the document does not say of this answer of the operation: its status, headers, or shape of its body. */
export function undocumented(operationId: string, response: Response, body: string): string[] {
  const operation = findOperation(operationId);
  const status = String(response.status);
  const answer = operation.responses[status];
  if (answer === undefined) return [`status ${status}`];
  const documented = Object.keys(answer.headers);
  const sent = headerNames.filter((name) => response.headers.has(name));
  const promised = documented.filter((name) => !conditional.includes(name));
  const faults = [
    ...sent.filter((name) => !documented.includes(name)).map((name) => `header ${name}`),
    ...promised.filter((name) => !sent.includes(name)).map((name) => `no header ${name}`),
  ];
  if (response.status === 304) return body === '' ? faults : [...faults, 'a body'];
  const validate = validatorOf([
    'paths',
    operation.path,
    operation.method,
    'responses',
    status,
    'content',
    response.headers.get('content-type') ?? '',
    'schema',
  ]);
  if (!validate(JSON.parse(body))) faults.push(ajv.errorsText(validate.errors));
  return faults;
}

function findOperation(operationId: string) {
  const operation = documentedOperations.find((each) => each.operationId === operationId);
  const found = operation && document.paths[operation.path]?.[operation.method];
  if (operation === undefined || found === undefined) {
    throw new Error(`The document has no operation ${operationId}`);
  }
  return { ...operation, responses: found.responses };
}

function validatorOf(path: readonly string[]): ValidateFunction {
  const pointer = path.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const $ref = `document#/${encodeURI(pointer)}`;
  const validator = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validator);
  return validator;
}
