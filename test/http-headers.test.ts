import { describe, expect, test } from 'bun:test';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

const site = 'https://shop.example';

function names(header: string | null): string[] {
  return (header ?? '').split(/\s*,\s*/);
}

/** An answer of every kind: success, refusals before and after authentication, other paths. */
function everyKind({ send }: TestApp, headers: Record<string, string>): Promise<Response[]> {
  return Promise.all([
    send('/v1/pets', { headers }),
    send('/v1/pets', { headers, method: 'HEAD' }),
    send('/v1/pets', { headers, method: 'OPTIONS' }),
    send('/v1/pets', { headers, apiKey: null }),
    send('/v1/pets?limit=0', { headers }),
    send('/v1/pets', { headers, method: 'DELETE' }),
    send('/v1/pets/1', { headers }),
    send('/v1/nothing', { headers }),
    send('/livez', { headers }),
    send('/openapi.json', { headers }),
  ]);
}

describe('OPTIONS answers 204 without a key, and lists the methods in Allow:', () => {
  const opening = openSharedApp();

  test.each([
    ['/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/pets/1', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['/v1/pets/x', 'GET, HEAD, PATCH, DELETE, OPTIONS'],
    ['/livez', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('%s', async (path, allow) => {
    const { send } = await opening;
    const response = await send(path, { method: 'OPTIONS', apiKey: null });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.text()).toBe('');
  });

  test('and answers 204 to the preflight of a missing path, so that its 404 can be read', async () => {
    const { send } = await opening;
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const asked = await send('/v1/nothing', {
        method: 'OPTIONS',
        apiKey: null,
        headers: { origin: site, 'access-control-request-method': method },
      });
      expect([asked.status, await asked.text()]).toEqual([204, '']);
      expect(asked.headers.get('access-control-allow-origin')).toBe('*');
      expect(names(asked.headers.get('access-control-allow-methods'))).toContain(method);
      expect(names(asked.headers.get('access-control-allow-headers'))).toContain('Authorization');
    }
  });

  test('and allows each header that a preflight asks for, such as those of tracing', async () => {
    const { send } = await opening;
    const ask = async (path: string, wanted: string) => {
      const headers = {
        origin: site,
        'access-control-request-method': 'POST',
        'access-control-request-headers': wanted,
      };
      const answer = await send(path, { method: 'OPTIONS', apiKey: null, headers });
      expect(answer.headers.get('vary')).toContain('Access-Control-Request-Headers');
      return names(answer.headers.get('access-control-allow-headers'));
    };
    const tracing = ['traceparent', 'tracestate', 'baggage', 'sentry-trace', 'x-datadog-trace-id'];
    for (const path of ['/v1/pets', '/v1/nothing']) {
      expect(await ask(path, tracing.join(','))).toEqual(
        expect.arrayContaining([...tracing, 'Authorization', 'Last-Event-ID']),
      );
      // No list of names is repeated that is none.
      const usual = await ask(path, 'a b');
      expect(usual).toContain('Authorization');
      expect(usual).not.toContain('a b');
      expect(await ask(path, 'x'.repeat(5000))).toEqual(usual);
    }
  });

  test('and lists the headers that a script on another site may send', async () => {
    const { send } = await opening;
    const preflight = { origin: site, 'access-control-request-method': 'POST' };
    const init = { method: 'OPTIONS', apiKey: null, headers: preflight };
    const { headers } = await send('/v1/pets', init);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(names(headers.get('access-control-allow-methods'))).toContain('POST');
    const allowed = names(headers.get('access-control-allow-headers'));
    expect(allowed).toEqual(
      expect.arrayContaining(['Authorization', 'Content-Type', 'Prefer', 'X-Request-Id']),
    );
    expect(allowed).not.toContain('*');
    expect(headers.get('access-control-max-age')).toMatch(/^[1-9][0-9]*$/);
  });
});

describe('a script on another site', () => {
  test('may read every answer, with the headers that the service defines, if no origins are configured', async () => {
    await using app = await openTestApp();
    const withoutOrigin = await everyKind(app, {});
    const defined =
      'Link Location ETag Deprecation Sunset Retry-After RateLimit RateLimit-Policy X-Request-Id WWW-Authenticate';
    for (const { headers } of [...(await everyKind(app, { origin: site })), ...withoutOrigin]) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      const exposed = names(headers.get('access-control-expose-headers'));
      expect(exposed).toEqual(expect.arrayContaining(defined.split(' ')));
    }
  });

  test.each([site, 'http://localhost:3000'])(
    'may read every answer if %s is a configured origin',
    async (origin) => {
      await using app = await openTestApp({ corsOrigins: [site, 'http://localhost:3000'] });
      for (const { headers } of await everyKind(app, { origin })) {
        expect(headers.get('access-control-allow-origin')).toBe(origin);
        expect(names(headers.get('access-control-expose-headers'))).toContain('Link');
        expect(names(headers.get('vary'))).toContain('Origin');
      }
    },
  );

  test.each([
    'https://evil.example',
    'https://shop.example.evil.example',
    'https://shop.example:8443',
    'null',
    '*',
  ])('may read nothing if %j is not a configured origin', async (origin) => {
    await using app = await openTestApp({ corsOrigins: [site] });
    const withoutOrigin = await everyKind(app, {});
    for (const { headers } of [...(await everyKind(app, { origin })), ...withoutOrigin]) {
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(names(headers.get('vary'))).toContain('Origin');
    }
  });
});

describe('every answer', () => {
  const opening = openSharedApp();

  test('is JSON, regardless of Accept', async () => {
    const { send } = await opening;
    for (const accept of ['text/html', 'application/xml;q=1, */*;q=0', 'nonsense', '']) {
      for (const path of ['/v1/pets', '/v1/pets/1']) {
        const { headers } = await send(path, { headers: { accept } });
        expect(headers.get('content-type')).toBe('application/json');
      }
    }
  });

  test.each(['a', 'A-Za.z0/9+_=.-', 'x'.repeat(128), '01a1f886-e697-70a6-9073-e2c036991302'])(
    'repeats the X-Request-Id %s',
    async (requestId) => {
      for (const { headers } of await everyKind(await opening, { 'x-request-id': requestId })) {
        expect(headers.get('x-request-id')).toBe(requestId);
      }
    },
  );

  test.each(['', 'a b', 'a,b', 'a"b', '<b>', 'caf\u00e9', 'a\tb', '{}', 'x'.repeat(129)])(
    'replaces the X-Request-Id %j by its own',
    async (requestId) => {
      const app = await opening;
      const answers = await everyKind(app, { 'x-request-id': requestId });
      const ids = answers.map(({ headers }) => headers.get('x-request-id'));
      expect(new Set(ids).size).toBe(answers.length);
      for (const id of ids) expect(id).toMatch(/^test-[0-9]+$/);
    },
  );

  test('replaces an X-Request-Id that contains an API key by its own', async () => {
    const { send, apiKey } = await opening;
    const response = await send('/v1/pets', { headers: { 'x-request-id': apiKey } });
    expect(response.headers.get('x-request-id')).toMatch(/^test-[0-9]+$/);
  });

  test('has an X-Request-Id of its own if the request has none or two', async () => {
    const { send } = await opening;
    const two = new Headers({ 'x-request-id': 'one' });
    two.append('x-request-id', 'two');
    for (const headers of [new Headers(), two]) {
      const response = await send('/v1/pets', { headers });
      expect(response.headers.get('x-request-id')).toMatch(/^test-[0-9]+$/);
    }
  });
});

describe('HEAD answers as GET does, with the same status and headers:', () => {
  test.each([
    '/v1/pets?limit=1',
    '/v1/pets?limit=0',
    '/v1/pets/1',
    '/v1/nothing',
    '/readyz',
    '/openapi.yaml',
    '/',
  ])('%s', async (path) => {
    await using app = await openTestApp();
    for (const name of ['Rex', 'Fluffy']) await app.post({ name, categoryId: 1 });
    const headers = { 'x-request-id': 'same' };
    const got = await app.send(path, { headers });
    const head = await app.send(path, { headers, method: 'HEAD' });
    expect(head.status).toBe(got.status);
    expect([...head.headers]).toEqual([...got.headers]);
  });
});
