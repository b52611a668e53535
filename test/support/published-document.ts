import { expect } from 'bun:test';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import { parse } from 'yaml';
import { z } from 'zod';

const text = await Bun.file(join(import.meta.dir, '../../openapi.yaml')).text();

/** The parts of the published document that an answer is held against. */
const documentSchema = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        responses: z.record(
          z.string(),
          z.looseObject({ headers: z.record(z.string(), z.unknown()).default({}) }),
        ),
      }),
    ),
  ),
  components: z.looseObject({ headers: z.record(z.string(), z.unknown()) }),
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

/** Checks that the document lists this answer of the operation, with its headers and the shape of its body. */
export function expectDocumented(operationId: string, response: Response, body: string): void {
  const found = findOperation(operationId);
  const status = String(response.status);
  expect(Object.keys(found.operation.responses)).toContain(status);
  const documented = Object.keys(found.operation.responses[status]?.headers ?? {});
  const sent = headerNames.filter((name) => response.headers.has(name));
  expect(sent.filter((name) => !documented.includes(name))).toEqual([]);
  const promised = documented.filter((name) => !conditional.includes(name));
  expect(promised.filter((name) => !sent.includes(name))).toEqual([]);

  const validate = validatorOf([
    'paths',
    found.path,
    found.method,
    'responses',
    status,
    'content',
    response.headers.get('content-type') ?? '',
    'schema',
  ]);
  validate(JSON.parse(body));
  expect(validate.errors ?? []).toEqual([]);
}

function findOperation(operationId: string) {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.operationId === operationId) return { path, method, operation };
    }
  }
  throw new Error(`The document has no operation ${operationId}`);
}

function validatorOf(path: readonly string[]): ValidateFunction {
  const pointer = path.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  const $ref = `document#/${encodeURI(pointer)}`;
  const validator = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validator);
  return validator;
}
