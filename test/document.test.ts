import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { parse } from 'yaml';
import { background } from '../src/context/context.ts';
import { getPet } from '../src/http/operations/pets.ts';
import { operations } from '../src/http/operations.ts';
import { addPets, equalPets } from './support/catalogue.ts';
import {
  documentedOperations,
  findReferred,
  type Parameter,
  publishedDocument,
  resolveSchema,
  undocumented,
} from './support/published-document.ts';
import { openTestApp } from './support/test-app.ts';
import { addWebhook, recordFailures } from './support/webhooks.ts';

test('the document has the address of its request, and no other difference', async () => {
  await using app = await openTestApp({
    environment: 'staging',
    publicUrls: { production: 'https://shop.example/v1' },
  });
  const ask = async (path: string, host: string) =>
    (await app.app(new Request(`http://${host}${path}`))).text();
  for (const host of ['one.example', 'two.example:8080']) {
    const json = JSON.parse(await ask('/openapi.json', host));
    expect(json.servers).toEqual([
      { url: `http://${host}/v1`, description: 'Staging' },
      { url: 'https://shop.example/v1', description: 'Production' },
    ]);
    expect(Object.keys(json.paths)).toEqual([...new Set(operations.map(({ path }) => path))]);
    expect(parse(await ask('/openapi.yaml', host))).toEqual(json);
  }
  await using alone = await openTestApp();
  const ofOne = async (path: string) =>
    (await alone.app(new Request(`http://one.example${path}`))).text();
  expect(parse(await ofOne('/openapi.yaml'))).toEqual(JSON.parse(await ofOne('/openapi.json')));
});

test('3000 requests for the document at different hosts are answered from one built document', async () => {
  await using app = await openTestApp();
  // If each request built the document, the test would exceed its time limit.
  for (let count = 0; count < 3000; count += 1) {
    const request = new Request(`http://host-${count}.example/openapi.yaml`);
    expect((await app.app(request)).status).toBe(200);
  }
});

/** Every object in a value, with the path to it. */
function* objectsIn(
  value: unknown,
  path = '#',
): Generator<[path: string, members: Readonly<Record<string, unknown>>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [path, { ...value }];
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, `${path}/${name}`);
}

test('every reference of the document has a target, and no other members', () => {
  const references = [...objectsIn(publishedDocument)].filter(([, members]) => '$ref' in members);
  expect(references.length).toBeGreaterThan(50);
  for (const [path, members] of references) {
    expect([path, Object.keys(members)]).toEqual([path, ['$ref']]);
    expect(findReferred(Object(members).$ref)).toBeDefined();
  }
});

test('the patterns of the document are valid in every dialect of JavaScript, including that of forms', () => {
  const patterns = [...objectsIn(publishedDocument)].flatMap(([, { pattern }]) =>
    typeof pattern === 'string' ? [pattern] : [],
  );
  expect(patterns.length).toBeGreaterThan(5);
  for (const pattern of new Set(patterns)) {
    for (const flags of ['', 'u', 'v']) expect(() => new RegExp(pattern, flags)).not.toThrow();
  }
});

test('generators of other languages can read every schema of the document', () => {
  const schemas = [...objectsIn(publishedDocument)];
  const wrong = schemas.flatMap(([path, { type, pattern, format, maxLength, ...members }]) => {
    const types = [type].flat().filter((one) => one !== 'null' && typeof one === 'string');
    return [
      // OpenAPI 3.0, oapi-codegen, ogen and the zod of orval 7 have no schema with two types.
      types.length > 1 && Array.isArray(type) && `${path} has the types ${types}`,
      format === 'int64' && `${types}` !== 'integer' && `${path} is an int64 and ${types}`,
      // Pydantic checks no length of a time.
      format === 'date-time' && maxLength !== undefined && `${path} has a length`,
      // Generators that write regular expressions escape the slash again.
      String(pattern).includes('\\/') && `${path} escapes a slash`,
      // Schemathesis checks each event against the schema of the stream.
      path.endsWith('text/event-stream') && 'schema' in members && `${path} has a schema`,
      type === 'array' && members.maxItems === undefined && `${path} has no maxItems`,
    ].filter((fault) => fault !== false);
  });
  expect(wrong).toEqual([]);
});

test('small integers are int32, except the limit of listPets, which the interface fixes', () => {
  const parameters = documentedOperations.flatMap(({ operationId, parameters: all }) =>
    all
      .filter(({ name }) => name === 'limit' || name === 'wait')
      .map(({ name, schema: { format } }) => [`${operationId} ${name}`, format] as const),
  );
  expect(parameters.length).toBeGreaterThan(4);
  for (const [name, format] of parameters) {
    expect([name, format]).toEqual([name, name === 'listPets limit' ? undefined : 'int32']);
  }
});

test('the default of Prefer is its example, so that tools invent no value from the pattern', () => {
  const { example, schema } = Object(findReferred('#/components/parameters/Prefer'));
  expect([schema.default, example]).toEqual(['handling=lenient', 'handling=lenient']);
});

test('openapi-3.0.yaml is of this document: npm run openapi writes it', async () => {
  const older: unknown = parse(await Bun.file(join(import.meta.dir, '../openapi-3.0.yaml')).text());
  const valuesOf = (value: unknown) => {
    const found = [...objectsIn(value)].flatMap(([, members]) =>
      ['operationId', 'description', 'name', 'format', 'pattern', 'minimum', 'maximum', '$ref']
        .map((member) => members[member])
        .filter((text) => typeof text === 'string' || typeof text === 'number'),
    );
    return [...new Set(found)].sort();
  };
  expect(valuesOf(older)).toEqual(valuesOf(publishedDocument));
  expect(Object(older).openapi).toBe('3.0.3');
  // progenitor reads one media type of a body.
  const bodies = [...objectsIn(older)].filter(([path]) => path.endsWith('/requestBody/content'));
  expect(bodies.length).toBeGreaterThan(5);
  for (const [, types] of bodies) expect(Object.keys(types)).toEqual(['application/json']);
});

test('every error of the document has the same body, so that generated types have its code', () => {
  const $ref = '#/components/schemas/Error';
  const errors = [...objectsIn(publishedDocument)].flatMap(([path, { content, $ref: shared }]) =>
    !/\/responses\/([45]..)$/.test(path)
      ? []
      : [[path, content ?? Object(findReferred(String(shared))).content]],
  );
  expect(errors.length).toBeGreaterThan(100);
  for (const [path, content] of errors) {
    expect([path, content]).toMatchObject([path, { 'application/json': { schema: { $ref } } }]);
  }
});

test('a client without unions reads every event: the document has one event with all members, none required', async () => {
  const schema = resolveSchema({ $ref: '#/components/schemas/EventRecord' });
  const event = resolveSchema({ $ref: '#/components/schemas/Event' }).properties;
  expect([event?.data, event?.previous]).toEqual(
    Array(2).fill({ $ref: '#/components/schemas/EventRecord' }),
  );
  expect(schema.required).toBeUndefined();
  expect(JSON.stringify(schema)).not.toMatch(/"(?:anyOf|oneOf|allOf|enum)"/);

  await using app = await openTestApp();
  const send = (method: string, path: string, body: unknown) =>
    app.write(method, `/v1${path}`, body);
  await send('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await send('PATCH', '/pets/1', { name: 'Max', categoryId: 2 });
  await send('PUT', '/categories/1', { name: 'Dogs' });
  await send('PUT', '/categories/1', { name: 'Dogs', description: 'Of every size' });
  await send('POST', '/store/orders', { petId: 1, note: 'For Ada' });
  await send('PATCH', '/store/orders/1', { status: 'shipped' });
  await addWebhook(app);
  await send('PATCH', '/pets/1', { name: 'Rex' });
  const disabled = { reason: 'events_deleted', firstMissed: 1, lastMissed: 2 } as const;
  await recordFailures(app, { status: 'disabled' }, disabled);
  const response = await app.send('/v1/events');
  const text = await response.text();
  expect(undocumented('listEvents', response, text)).toEqual([]);
  expect(text).toContain('"previous":{"description":null}');
  const events: { data: object; previous?: object }[] = JSON.parse(text);
  const members = events.flatMap(({ data, previous = {} }) =>
    Object.keys({ ...data, ...previous }),
  );
  expect(new Set(members)).toEqual(new Set(Object.keys(schema.properties ?? {})));
});

/** The value is from an answer, new for each write, or chooses records. All filters together would match no record. */
const unexemplified = [
  ...['cursor', 'If-Match', 'If-None-Match', 'Last-Event-ID', 'Idempotency-Key'],
  ...['status', 'categoryId', 'id', 'name', 'petId', 'note', 'sort', 'from'],
];

test('a client that sends every example of the document succeeds, also twice, and lists records', async () => {
  await using app = await openTestApp();
  await addPets(app, equalPets(2));
  await addWebhook(app);
  const { id: workspaceId = 0n } = (await app.database.findWorkspace(background, 'default')) ?? {};
  const category = { id: 7n, category: { name: 'Dogs' }, precondition: {} };
  await app.database.write(background, 'putCategory', { workspaceId, ...category });
  await app.database.write(background, 'createPets', {
    workspaceId,
    pets: [{ name: 'Rex', categoryId: 1n }],
  });
  const origin = { requestId: 'order', actor: 'owner', now: app.now } as const;
  await app.database.write(background, 'createOrder', {
    workspaceId,
    order: { petId: 3n },
    origin,
  });
  await recordFailures(app);
  const exampleOf = ({ example }: Parameter) => (Array.isArray(example) ? example : [example]);
  // The webhook is deleted last, because the operations after it need it.
  const last = documentedOperations.filter(({ operationId }) => operationId === 'deleteWebhook');
  const others = documentedOperations.filter((operation) => !last.includes(operation));
  for (const { parameters, path, method, bodySchema } of [...others, ...last]) {
    const given = parameters.filter(({ example }) => example !== undefined);
    const without = parameters.filter((parameter) => !given.includes(parameter));
    const names = without.filter(({ required }) => !required).map(({ name }) => name);
    expect(names.filter((name) => !unexemplified.includes(name))).toEqual([]);

    const query = new URLSearchParams();
    const headers = new Headers({ 'content-type': 'application/json' });
    let filled = path;
    for (const parameter of given) {
      for (const value of exampleOf(parameter)) {
        if (parameter.in === 'query') query.append(parameter.name, value);
        else if (parameter.in === 'header') headers.append(parameter.name, value);
        else filled = filled.replace(`{${parameter.name}}`, value);
      }
    }
    const body =
      bodySchema === undefined
        ? {}
        : { body: '{"name":"Rex","categoryId":1,"petId":2,"url":"https://shop.example/"}' };
    if (method === 'patch') Object.assign(body, { body: '{}' });
    const init = { method: method.toUpperCase(), headers, ...body };
    const send = () => app.send(`/v1${filled}?${query}`, init);
    const response = await send();
    expect(response.ok).toBe(true);
    if (method === 'get' && !path.includes('stream')) expect(await response.text()).not.toBe('[]');
    if (path === '/pets' && method === 'post') expect((await send()).status).toBe(201);
  }
});

test('the document has an example for every response header', () => {
  const headers = Object.entries(Object(findReferred('#/components/headers')));
  expect(headers.length).toBeGreaterThan(10);
  for (const [name, header] of headers)
    expect([name, header]).toEqual([name, expect.objectContaining({ example: expect.anything() })]);
});

test('the document says in the extensions of each tool when getPet is removed and what replaces it', () => {
  const { removedAt, successor } = getPet.deprecation ?? {};
  const date = new Date(removedAt ?? 0).toISOString().slice(0, 10);
  expect(findReferred('#/paths/~1pets~1{petId}/get')).toMatchObject({
    deprecated: true,
    'x-deprecated-sunset': date,
    'x-sunset': date,
    'x-deprecated-reason': `Removed on ${date}; use ${successor}.`,
  });
});
