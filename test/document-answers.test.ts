import { expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import type { Scope } from '../src/domain/access/api-key.ts';
import type { ErrorCode } from '../src/http/failure.ts';
import { getPetRemovedAt } from '../src/http/operations/pets.ts';
import { operations as declared } from '../src/http/operations.ts';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../src/storage/contract/database-error.ts';
import { addPets, addWorkspace, equalPets } from './support/catalogue.ts';
import {
  type DocumentedOperation,
  describedHeaders,
  documentedOperations,
  undocumented,
} from './support/published-document.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';
import { addWebhook, recordFailures } from './support/webhooks.ts';

const operations = documentedOperations.map(
  (operation) => [operation.operationId, operation] as const,
);

/** The answers of each operation, with their texts. */
const answering = new Map<string, Promise<[response: Response, text: string][]>>();

function answersOf(operation: DocumentedOperation) {
  const found =
    answering.get(operation.operationId) ??
    answerInEveryWay(operation).then((responses) =>
      Promise.all(responses.map(async (each) => [each, await each.text()] as [Response, string])),
    );
  answering.set(operation.operationId, found);
  return found;
}

test.each(operations)(
  'the document lists for %s the answers of the service, with all of their headers and no others',
  async (operationId, operation) => {
    const seen = new Map<string, { headers: Set<string>; codes: Set<string> }>();
    for (const [response, text] of await answersOf(operation)) {
      expect(undocumented(operationId, response, text)).toEqual([]);
      const { headers, codes } = seen.get(`${response.status}`) ?? {
        headers: new Set(),
        codes: new Set(),
      };
      for (const name of describedHeaders(response)) headers.add(name);
      if (response.status >= 400 && text !== '') codes.add(JSON.parse(text).code);
      seen.set(`${response.status}`, { headers, codes });
    }
    const listed = Object.entries(operation.responses).map(([status, { headers, content }]) => ({
      status,
      headers: Object.keys(headers).map((name) => name.toLowerCase()),
      codes: Object.keys(content['application/json']?.examples ?? {}),
    }));
    // The document shares this answer with operations that wait for a body, which alone send these headers.
    const hasBody = operation.bodySchema !== undefined;
    const untrue: string[] = hasBody ? [] : ['401 ratelimit-policy', '401 ratelimit'];
    // Only the feed refuses a filter after it has counted the request.
    if ('403' in operation.responses && !operationId.endsWith('Events'))
      untrue.push('403 ratelimit-policy', '403 ratelimit');
    // Only on PostgreSQL without its primary (test/read-standby.test.ts).
    const isOfStandby = (name: string) => name === 'x-read-from';
    // Stable operations share their headers with the others.
    const isStable = operation.stability === undefined;
    const never = listed.flatMap(({ status, headers, codes }) =>
      [
        ...headers
          .filter((name) => !(isStable && name === 'x-stability') && !isOfStandby(name))
          .filter((name) => !seen.get(status)?.headers.has(name)),
        ...codes.filter((code) => !seen.get(status)?.codes.has(code)),
        ...(seen.has(status) ? [] : ['answer']),
      ].map((name) => `${status} ${name}`),
    );
    expect(never).toEqual(untrue);
  },
);

test('the error examples of the document are exactly what the service answers', async () => {
  const all = await Promise.all(operations.map(([, operation]) => answersOf(operation)));
  const given = new Set(all.flat().map(([, text]) => text));
  const examples = operations.flatMap(([, { responses }]) =>
    Object.values(responses).flatMap(({ content }) =>
      Object.values(content['application/json']?.examples ?? {}),
    ),
  );
  expect(examples.length).toBeGreaterThan(0);
  for (const { value } of examples) expect(given).toContain(JSON.stringify(value));
});

/** A successful request to `openLimitedApp`. */
interface Sample {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly scope: Scope | undefined;
  /** Another path with another successful answer. */
  readonly otherPath?: string;
}

const bodies: Readonly<Record<string, string>> = {
  createPet: '{"name":"Rex","categoryId":1}',
  updatePet: '{"name":"Max","categoryId":1}',
  createCategory: '{"name":"Dogs"}',
  putCategory: '{"name":"Dogs"}',
  createOrder: '{"petId":4}',
  updateOrder: '{"status":"shipped"}',
  createWebhook: '{"url":"https://shop.example/"}',
  updateWebhook: '{"description":"The website"}',
  rotateWebhookSecret: '{}',
};

function sampleOf({ operationId, path, method, parameters }: DocumentedOperation): Sample {
  const body = bodies[operationId];
  // An order reserves animal 1.
  const filled = `/v1${path.replace(/\{\w+\}/, operationId === 'deletePet' ? '2' : '1')}`;
  const operation = declared.find((each) => each.operationId === operationId);
  if (operation === undefined) throw new Error(`${operationId} is not an operation`);
  return {
    method: method.toUpperCase(),
    path: parameters.some(({ name }) => name === 'limit') ? `${filled}?limit=1` : filled,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    scope: operation.scope,
    ...(body === undefined ? {} : { body }),
    ...(operationId === 'putCategory' ? { otherPath: '/v1/categories/-1' } : {}),
  };
}

/** Requests that the state of a record refuses: order 1 for animal 1 is open, and order 2 is shipped. */
const conflicts: Readonly<Record<string, Partial<Sample>>> = {
  '/v1/pets/1': { body: '{"status":"sold"}' },
  '/v1/pets/2': { path: '/v1/pets/1' },
  '/v1/store/orders/1': { path: '/v1/store/orders/2', body: '{"shipDate":"2026-12-24T09:00:00Z"}' },
};

const withoutQuery = ({ path }: Sample) => path.replace(/\?.*/, '');

async function answerInEveryWay(operation: DocumentedOperation) {
  const { responses } = operation;
  const sample = sampleOf(operation);
  const codes = Object.values(responses).flatMap(({ content }) =>
    Object.keys(content['application/json']?.examples ?? {}),
  );
  const given = await succeed(sample);
  // Most errors change nothing, so one app answers them.
  await using app = await openLimitedApp();
  for (const code of codes) {
    const way = Object.entries(ways).find(([name]) => name === code)?.[1];
    if (way === undefined) throw new Error(`It needs a way to be answered ${code}`);
    given.push(...[await way(sample, app)].flat());
  }
  return given;
}

/** A request with every optional header, and with the tag that the client already has. */
async function succeed(sample: Sample): Promise<Response[]> {
  // A test of a webhook ends with an error if the server is stopping.
  const running = sample.path.endsWith('/test') ? new AbortController().signal : stopping;
  await using app = await openLimitedApp(running);
  const headers = { prefer: 'handling=strict', 'idempotency-key': 'same' };
  const first = await send(app, sample, { headers });
  const etag = first.headers.get('etag');
  const known = etag === null ? {} : { 'if-none-match': etag };
  const again = await send(app, sample, { headers: { ...headers, ...known } });
  const { otherPath: path } = sample;
  if (path === undefined) return [first, again];
  const other = { path, headers: { ...headers, 'idempotency-key': 'other' } };
  return [first, again, await send(app, sample, other), await send(app, sample, other)];
}

/** Causes an error. A way that changes data opens an app of its own. */
type Way = (sample: Sample, app: TestApp) => Promise<Response | readonly Response[]>;

/** How to cause each error. */
const ways: Partial<Record<ErrorCode, Way>> = {
  invalid_json: (sample, app) => send(app, sample, { body: '{\n  "name": "Rex",\n}' }),
  invalid_body: (sample, app) =>
    send(app, sample, {
      body: sample.path === '/v1/pets' ? '{"name":"Rex"}' : '{"name":null,"overlapSeconds":-1}',
    }),
  invalid_parameter: (sample, app) =>
    send(app, sample, { path: `${withoutQuery(sample)}?limit=0&after=x` }),
  invalid_cursor: (sample, app) => send(app, sample, { path: `${withoutQuery(sample)}?cursor=x` }),
  invalid_header: (sample, app) => send(app, sample, { headers: { prefer: '=' } }),
  unknown_field: (sample, app) =>
    send(app, sample, {
      path: `${withoutQuery(sample)}?color=red`,
      headers: { prefer: 'handling=strict' },
    }),
  missing_api_key: (sample, app) => send(app, sample, { apiKey: null }),
  async invalid_api_key(sample, app) {
    const unknown = await send(app, sample, { apiKey: 'x' });
    return sample.body === undefined ? unknown : [unknown, await loseWorkspace(sample)];
  },
  async insufficient_scope(sample, app) {
    const scope: Scope = sample.scope === 'pets:read' ? 'pets:write' : 'pets:read';
    const refused = await send(app, sample, {
      apiKey: (await app.createKey({ scopes: [scope] })).text,
    });
    if (sample.scope !== 'events:read') return refused;
    const { text: apiKey } = await app.createKey({ scopes: ['events:read'] });
    return [
      refused,
      await send(app, sample, { apiKey, path: `${withoutQuery(sample)}?type=pet.*` }),
    ];
  },
  cursor_expired: (sample, app) =>
    send(app, sample, {
      path: `${withoutQuery(sample)}?after=1042`,
      ...(sample.method === 'PATCH' ? { body: '{"position":1042}' } : {}),
    }),
  precondition_failed: (sample, app) => send(app, sample, { headers: { 'if-match': '"x"' } }),
  not_found: (sample, app) =>
    send(
      app,
      sample,
      sample.path.includes('/webhooks/')
        ? { path: sample.path.replace('/webhooks/1', '/webhooks/404') }
        : sample.method === 'POST'
          ? { body: '{"petId":404}' }
          : { path: sample.path.replace(/\d$/, sample.method === 'PUT' ? 'x' : '404') },
    ),
  async conflict(sample, app) {
    if (!sample.path.includes('/webhooks')) return send(app, sample, conflicts[sample.path]);
    // The tenth webhook is the last one, and a second rotation must wait.
    await using full = await openLimitedApp();
    await send(full, sample);
    return await send(full, sample);
  },
  pet_not_available: (sample, app) => send(app, sample, { body: '{"petId":1}' }),
  async idempotency_in_progress(sample) {
    await using app = await openLimitedApp();
    const headers = { 'idempotency-key': 'same' };
    const both = await Promise.all([1, 2].map(() => send(app, sample, { headers })));
    return both.filter(({ status }) => status === 409);
  },
  async idempotency_key_reused(sample) {
    await using app = await openLimitedApp();
    const headers = { 'idempotency-key': 'same' };
    await send(app, sample, { headers });
    return await send(app, sample, { headers, path: `${sample.path}?other` });
  },
  async operation_removed(sample) {
    await using app = await openLimitedApp();
    app.now = getPetRemovedAt;
    return await send(app, sample);
  },
  content_too_large: (sample, app) => send(app, sample, { body: ' '.repeat(65537) }),
  async unsupported_media_type(sample, app) {
    const typed = await send(app, sample, { headers: { 'content-type': 'text/plain' } });
    return [typed, await send(app, sample, { headers: { 'content-encoding': 'gzip' } })];
  },
  async rate_limited(sample) {
    // One operation sends the number of requests in the example. The others share its answer.
    const limit = { count: sample.path === '/v1/pets?limit=1' ? 600 : 1, seconds: 60 };
    await using app = await openTestApp({ rateLimit: limit, stopping });
    for (let count = 0; count < limit.count; count += 1) {
      await (await send(app, sample, { body: '' })).text();
    }
    return await send(app, sample);
  },
  internal_error: (sample) => fault(sample, new Error('A part of the service is broken')),
  unavailable: (sample) => fault(sample, new DatabaseUnavailable('Storage is down')),
  outcome_unknown: (sample) => fault(sample, new DatabaseOutcomeUnknown('The answer is lost')),
};

type Changes = Partial<Sample> & { readonly apiKey?: string | null };

/** The server is stopping, so its streams end at once. */
const stopping = AbortSignal.abort();

/** An app with a rate limit, the animals 1 to 4, two categories and orders, and nine webhooks. */
async function openLimitedApp(signal = stopping): Promise<TestApp> {
  const app = await openTestApp({ rateLimit: { count: 1000, seconds: 1 }, stopping: signal });
  await addPets(app, equalPets(4));
  await Promise.all(Array.from({ length: 9 }, () => addWebhook(app)));
  const { id: workspaceId = 0n } = (await app.database.findWorkspace(background, 'default')) ?? {};
  for (const name of ['Cats', 'Dogs']) {
    await app.database.write(background, 'createCategory', { workspaceId, category: { name } });
  }
  for (const petId of [1n, 3n]) {
    const origin = { requestId: 'order', actor: 'owner', now: app.now } as const;
    await app.database.write(background, 'createOrder', { workspaceId, order: { petId }, origin });
  }
  const shipped = { changes: { status: 'shipped' }, now: app.now, precondition: {} } as const;
  await app.database.write(background, 'updateOrder', { workspaceId, id: 2n, ...shipped });
  await recordFailures(app);
  return app;
}

/** Throws an error after authentication. */
async function fault(sample: Sample, error: Error): Promise<Response> {
  const fail = () => {
    throw error;
  };
  await using app = await openTestApp({
    rateLimit: { count: 1000, seconds: 1 },
    uses: {
      note: fail,
      noteDeprecatedCall: fail,
      noteSessionActivity: fail,
      flush: async () => {},
    },
  });
  return await send(app, sample);
}

/** Deletes the workspace after its key was found, and before the body arrives. */
async function loseWorkspace({ body = '', ...sample }: Sample): Promise<Response> {
  await using app = await openLimitedApp();
  const { database } = app;
  const apiKey = await addWorkspace(app, 'annex');
  const { id = 0n } = (await database.findWorkspace(background, 'annex')) ?? {};
  const late = new ReadableStream(
    {
      async pull(controller) {
        await database.write(background, 'deleteWorkspaceStep', { id, rowsMax: 100, now: app.now });
        app.now += 1000;
        controller.enqueue(Buffer.from(body));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return await app.send(sample.path, { ...sample, apiKey, body: late });
}

function send(app: TestApp, sample: Sample, changes: Changes = {}): Promise<Response> {
  const { path, ...init } = { ...sample, ...changes };
  const { body, headers, ...rest } = init;
  return app.send(path, {
    ...rest,
    headers: { ...sample.headers, ...headers },
    // A read has no body, even if the changes have one.
    ...(sample.body === undefined || body === undefined ? {} : { body }),
  });
}
