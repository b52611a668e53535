import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { defineRead } from '../src/http/define-operation.ts';
import type { ErrorCode } from '../src/http/failure.ts';
import { operations } from '../src/http/operations.ts';
import { expectError } from './support/answers.ts';
import {
  type PublishedNginx,
  publishedNginxIsMissing,
  startNginxBeforeTwo,
  startPublishedNginx,
} from './support/published-nginx.ts';
import { connect } from './support/raw-connection.ts';
import { readAnswers } from './support/raw-http.ts';
import { replaceEach } from './support/replace-each.ts';
import { openTestServer, type TestServer } from './support/test-server.ts';

/** A request for this path hangs. */
const neverAnswers = defineRead({
  operationId: 'neverAnswers',
  tag: { name: 'animals', description: '' },
  path: '/never',
  summary: 'Never answer',
  description: 'Never answers.',
  scope: 'pets:read',

  successes: [{ httpStatus: 204, description: 'Never.' }],
  errors: [],
  handle: () => new Promise(() => {}),
});

const writes = ['POST', 'PATCH', 'PUT', 'DELETE'];
const withKey = { 'idempotency-key': 'a-key-of-the-client' };

const missing = publishedNginxIsMissing();
const title = 'nginx with the site of docs/deploy';

describe.skipIf(missing !== undefined)(
  missing === undefined ? title : `${title}, left out: ${missing}`,
  () => {
    // Requests that nginx refuses store nothing, so one app serves all tests about them.
    let server: TestServer;
    let nginx: PublishedNginx;
    beforeAll(async () => {
      server = await openTestServer();
      nginx = await startPublishedNginx(server.port);
    });
    afterAll(async () => {
      await nginx[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    });

    const host = 'Host: animals.example';
    const long = 'x'.repeat(9000);

    describe.each(['http', 'https'] as const)(
      'answers over %s in the shape of every other error',
      (scheme) => {
        test.each<[what: string, code: ErrorCode, lines: readonly string[]]>([
          ['words that are not HTTP', 'invalid_header', ['hello there']],
          ['a Host of two words', 'invalid_header', ['GET /v1/pets HTTP/1.1', 'Host: a b']],
          ['no Host', 'invalid_header', ['GET /v1/pets HTTP/1.1']],
          [
            'a length that is not a number',
            'invalid_header',
            ['POST /v1/pets HTTP/1.1', host, 'Content-Length: x'],
          ],
          [
            'a header of 9000 bytes',
            'invalid_header',
            ['GET /v1/pets HTTP/1.1', host, `X: ${long}`],
          ],
          [
            'an unknown coding',
            'invalid_header',
            ['POST /v1/pets HTTP/1.1', host, 'Transfer-Encoding: gzip'],
          ],
          ['HTTP/3.0', 'invalid_header', ['GET /v1/pets HTTP/3.0', host]],
          [
            'an address of 9000 bytes',
            'invalid_parameter',
            [`GET /v1/pets?id=${long} HTTP/1.1`, host],
          ],
          ['TRACE', 'method_not_allowed', ['TRACE /v1/pets HTTP/1.1', host]],
          [
            'a backslash in a path, which the service would parse as a slash',
            'invalid_header',
            ['GET /v1\\..\\console HTTP/1.1', host, 'Connection: close'],
          ],
          [
            'a backslash in a path of events',
            'invalid_header',
            ['GET /v1/a\\b/../events HTTP/1.1', host, 'Connection: close'],
          ],
          [
            'a path of its own errors',
            'route_not_found',
            ['GET /nginx-error/limit HTTP/1.1', host, 'Connection: close'],
          ],
        ])('%s: %s', async (_what, code, lines) => {
          const answer = await exchange(nginx, scheme, lines);
          expectCors(answer);
          expectTransportSecurity(answer, scheme);
          await expectError(answer, code);
        });
      },
    );

    test('answers in the shape of every other error to a body that is too large, also over HTTP/2', async () => {
      const large = await send(nginx, 'POST', { body: ' '.repeat(2_000_000) });
      expectCors(large);
      await expectError(large, 'content_too_large');
      const overHttp2 = await announceOverHttp2(nginx, 2_000_000);
      expectCors(overHttp2);
      await expectError(overHttp2, 'content_too_large');
    });

    test('answers in the shape of every other error if it cannot buffer a body', async () => {
      await using server = await openTestServer();
      await using nginx = await startPublishedNginx(server.port);
      rmSync(join(nginx.folder, 'body'), { recursive: true });
      const answer = await send(nginx, 'POST', { body: ' '.repeat(60_000) });
      expectCors(answer);
      await expectError(answer, 'internal_error');
    });

    test('answers 503 if the server is gone or too slow: unavailable to a read, outcome_unknown to a write that was sent', async () => {
      await using nginx = await (async () => {
        await using server = await openTestServer();
        return await startPublishedNginx(server.port);
      })();
      const gone = await send(nginx, 'GET');
      expectCors(gone);
      expect(gone.headers.get('retry-after')).toBe('1');
      await expectError(gone, 'unavailable');

      using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
      await using impatient = await startPublishedNginx(silent.port, (site) =>
        replaceEach(site, [['proxy_read_timeout 10s', 'proxy_read_timeout 100ms']]),
      );
      await expectError(await send(impatient, 'GET'), 'unavailable');
      const late = await send(impatient, 'POST', { body: '{}' });
      expectCors(late);
      expect(late.headers.get('retry-after')).toBe('1');
      await expectError(late, 'outcome_unknown');
    });

    test('forwards a stream without buffering, and waits for events longer than for other answers', async () => {
      await using server = await openTestServer({ operations: [...operations, neverAnswers] });
      await using nginx = await startPublishedNginx(server.port, (site) =>
        replaceEach(site, [['proxy_read_timeout 10s', 'proxy_read_timeout 100ms']]),
      );
      const headers = { authorization: `Bearer ${server.app.apiKey}` };
      const stream = await send(nginx, 'GET', { headers }, '/v1/events/stream?after=now');
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      const readUntil = async (end: string) => {
        while (!text.includes(end)) {
          const { value } = (await reader?.read()) ?? {};
          if (value === undefined) throw new Error(`The stream ended before ${end}`);
          text += value;
        }
      };
      await readUntil('id: 0\n\n');
      const waiting = send(nginx, 'GET', { headers }, '/v1/events?wait=30');
      // Longer than a connection may be silent.
      await expectError(await send(nginx, 'GET', { headers }, '/v1/never'), 'unavailable');
      await server.app.post({ name: 'Rex', categoryId: 1 });
      await readUntil('"type":"pet.created"');
      const list = await waiting;
      expect([list.status, list.headers.get('last-event-id')]).toEqual([200, '1']);
      await reader?.cancel();
    });

    test('forwards a session of the console over TLS, under the public address, and its streams without a shorter limit', async () => {
      await using server = await openTestServer({
        operations: [...operations, neverAnswers],
        publicUrls: { production: 'https://animals.example/v1' },
      });
      await using nginx = await startPublishedNginx(server.port, (site) =>
        replaceEach(site, [['proxy_read_timeout 10s', 'proxy_read_timeout 100ms']]),
      );
      const own = { origin: 'https://animals.example', 'content-type': 'application/json' };
      const body = JSON.stringify({ apiKey: server.app.apiKey });
      const session = '/console/v1/session';
      const signedIn = await send(nginx, 'POST', { body, headers: own }, session);
      expect(signedIn.status).toBe(201);
      const [cookie = '', ...attributes] = signedIn.headers.get('set-cookie')?.split('; ') ?? [];
      expect(cookie).toMatch(/^__Host-animal-store-live=[A-Za-z0-9_-]{43}$/);
      expect(attributes).toEqual([
        'Path=/',
        'HttpOnly',
        'SameSite=Strict',
        'Secure',
        'Max-Age=604800',
      ]);
      const headers = { cookie, 'sec-fetch-site': 'same-origin' };
      const listed = await send(nginx, 'GET', { headers }, '/console/v1/pets');
      expect([listed.status, await listed.text()]).toEqual([200, '[]']);

      const stream = await send(nginx, 'GET', { headers }, '/console/v1/events/stream');
      const waiting = send(nginx, 'GET', { headers }, '/console/v1/events?wait=30');
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      expect((await reader?.read())?.value).toContain('connected');
      // Longer than a connection may be silent.
      const never = await send(nginx, 'GET', { headers }, '/console/v1/never');
      await expectError(never, 'unavailable');
      await server.app.post({ name: 'Rex', categoryId: 1 });
      expect((await reader?.read())?.value).toContain('pet.created');
      expect((await waiting).status).toBe(200);
      await reader?.cancel();

      const foreign = { cookie, origin: 'http://animals.example' };
      const refused = await send(nginx, 'DELETE', { headers: foreign }, session);
      await expectError(refused, 'forbidden_origin');
    });

    test('forwards compressed answers and strong ETags as they are, also if nginx compresses other sites', async () => {
      await using server = await openTestServer();
      await using nginx = await startPublishedNginx(
        server.port,
        (site) => `gzip on;\ngzip_types *;\ngzip_min_length 0;\ngzip_proxied any;\n${site}`,
      );
      const made = await server.app.post({ name: 'Rex', categoryId: 1 });
      const etag = made.headers.get('etag') ?? '';
      const headers = { authorization: `Bearer ${server.app.apiKey}`, 'accept-encoding': 'gzip' };
      const read = await send(nginx, 'GET', { headers }, '/v1/pets/1');
      expect([read.headers.get('etag'), read.headers.get('content-encoding')]).toEqual([
        etag,
        null,
      ]);
      const change = {
        headers: { ...headers, 'content-type': 'application/merge-patch+json', 'if-match': etag },
        body: '{"name":"Max"}',
      };
      expect((await send(nginx, 'PATCH', change, '/v1/pets/1')).status).toBe(200);
      for (const coding of ['gzip', 'br']) {
        const accepts = { headers: { 'accept-encoding': coding } };
        const page = await send(nginx, 'GET', accepts, '/openapi.json');
        expect(page.headers.get('content-encoding')).toBe(coding);
      }
    });

    test('answers 429 to an address with too many requests, and still forwards preflights', async () => {
      await using server = await openTestServer();
      await using nginx = await startPublishedNginx(server.port);
      const answers = await Promise.all(Array.from({ length: 600 }, () => send(nginx, 'GET')));
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
      for (const answer of refused) {
        expectCors(answer);
        expectTransportSecurity(answer, 'https');
        expect(answer.headers.get('retry-after')).toBe('1');
        await expectError(answer, 'rate_limited');
      }
      const preflights = await Promise.all(
        Array.from({ length: 600 }, () =>
          send(nginx, 'OPTIONS', { headers: { origin: 'https://a.example' } }),
        ),
      );
      expect(new Set(preflights.map(({ status }) => status))).toEqual(new Set([204]));
    });

    test.each(['GET', ...writes])(
      'sends a %s to the other of two servers if the connection to one is refused',
      async (method) => {
        const bodies: string[] = [];
        using running = Bun.serve({
          hostname: '127.0.0.1',
          port: 0,
          async fetch(request) {
            bodies.push(`${request.method} ${await request.text()}`);
            return new Response(null, { status: 204 });
          },
        });
        await using nginx = await startNginxBeforeTwo([1, running.port ?? 0]);
        const body = method === 'GET' ? '' : '{"name":"Rex"}';
        for (const headers of [{}, withKey, {}, withKey]) {
          const init = { headers, ...(body === '' ? {} : { body }) };
          expect((await send(nginx, method, init)).status).toBe(204);
        }
        expect(bodies).toEqual(Array(4).fill(`${method} ${body}`));
      },
    );

    test('sends no write to a server that is drained, also if the connection to the other is refused', async () => {
      using spared = listenAndClose();
      await using nginx = await startNginxBeforeTwo([spared.port, 1]);
      nginx.takeOut(0);
      for (const method of writes) {
        await expectError(await send(nginx, method, { body: '{}' }), 'unavailable');
      }
      expect(spared.requests).toEqual([]);
    });

    test.each(writes)(
      'never repeats a %s without an Idempotency-Key after it was sent, and answers 503 outcome_unknown',
      async (method) => {
        using one = listenAndClose();
        using two = listenAndClose();
        const targets = [
          [one.port, two.port],
          [one.port, 1],
        ] as const;
        for (const ports of targets) {
          await using nginx = await startNginxBeforeTwo(ports);
          const requests = Array.from({ length: 4 }, (_, index) => `/v1/pets/${index}`);
          for (const path of requests) {
            const answer = await send(nginx, method, { body: '{}' }, path);
            await expectError(answer, 'outcome_unknown');
          }
          const sent = [...one.requests.splice(0), ...two.requests.splice(0)];
          expect(sent.sort()).toEqual(requests.map((path) => `${method} ${path}`));
        }
      },
    );

    test.each(writes)(
      'sends a %s with an Idempotency-Key to the next server if one closes without an answer',
      async (method) => {
        using closing = listenAndClose();
        const answer = () => new Response(null, { status: 204 });
        using running = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
        const init = { body: '{}', headers: withKey };
        {
          await using nginx = await startNginxBeforeTwo([closing.port, running.port ?? 0]);
          for (let sent = 0; sent < 4; sent += 1) {
            expect((await send(nginx, method, init)).status).toBe(204);
          }
          expect(closing.requests).not.toEqual([]);
        }
        await using nginx = await startNginxBeforeTwo([closing.port, 1]);
        for (let sent = 0; sent < 4; sent += 1) {
          await expectError(await send(nginx, method, init), 'outcome_unknown');
        }
      },
    );

    test.each(writes)(
      'sends a %s to only one of two servers, even if the answer is 503',
      async (method) => {
        const asked: string[] = [];
        const answer = ({ method: sent, headers }: Request) => {
          asked.push(`${sent} ${headers.get('host')}`);
          return new Response('{"status":503}', { status: 503 });
        };
        using one = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
        using two = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
        await using nginx = await startNginxBeforeTwo([one.port ?? 0, two.port ?? 0]);
        const response = await send(nginx, method, { body: '{}' });
        expect([response.status, await response.text()]).toEqual([503, '{"status":503}']);
        expect(asked).toEqual([`${method} animals.example`]);
        await send(nginx, 'GET');
        expect(asked.filter((text) => text.startsWith('GET'))).toHaveLength(2);
      },
    );

    test('closes an idle connection before the server closes it', async () => {
      const nginxLetsGo = Promise.withResolvers<string>();
      using upstream = Bun.listen({
        hostname: '127.0.0.1',
        port: 0,
        socket: {
          data: (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
          close: () => nginxLetsGo.resolve('nginx'),
        },
      });
      await using nginx = await startPublishedNginx(upstream.port);
      await send(nginx, 'GET');

      const idle = await connect(server.port);
      await idle.send(['GET /livez HTTP/1.1\r\nHost: a\r\n\r\n']);
      const serverCloses = idle.received.then(() => 'server');
      expect(await Promise.race([nginxLetsGo.promise, serverCloses])).toBe('nginx');
      idle.terminate();
    });

    test('allows only the listed origins if a list is configured', async () => {
      await using nginx = await startPublishedNginx(server.port, (site) =>
        replaceEach(site, [['default *;', "default '';\n  https://shop.example $http_origin;"]]),
      );
      const originsFor = async (origin: string) => {
        const lines = ['TRACE /v1/pets HTTP/1.1', host, `Origin: ${origin}`];
        const { headers } = await exchange(nginx, 'http', lines);
        return headers.get('access-control-allow-origin');
      };
      expect(await originsFor('https://shop.example')).toBe('https://shop.example');
      expect(await originsFor('https://other.example')).toBeNull();
    });

    test('keeps the X-Request-Id of the client, also in its own errors', async () => {
      const lines = ['TRACE /v1/pets HTTP/1.1', host];
      const named = await exchange(nginx, 'http', [...lines, 'X-Request-Id: my-own-id']);
      expect(named.headers.get('x-request-id')).toBe('my-own-id');
      const unfit = await exchange(nginx, 'http', [...lines, 'X-Request-Id: <b>']);
      expect(unfit.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
    });

    test('adds the address of its client to X-Forwarded-For, after the addresses that the client sent', async () => {
      const sent: unknown[] = [];
      const fetch = ({ headers }: Request) => {
        sent.push(headers.get('x-forwarded-for'));
        return new Response();
      };
      using upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch });
      await using nginx = await startPublishedNginx(upstream.port ?? 0);
      await send(nginx, 'GET', { headers: { 'x-forwarded-for': '198.51.100.7' } });
      expect(sent).toEqual(['198.51.100.7, 127.0.0.1']);
    });

    test('logs each request without its query, also if no server answers', async () => {
      await using logging = await startPublishedNginx(server.port);
      await using broken = await startPublishedNginx(1);
      const path = '/v1/store/orders?note=Ada';
      expect((await send(logging, 'GET', {}, path)).status).toBe(401);
      expect((await send(broken, 'GET', {}, path)).status).toBe(503);
      for (const nginx of [logging, broken]) await nginx.stop();
      for (const { folder } of [logging, broken]) {
        const read = (name: string) => readFileSync(join(folder, name), 'utf8');
        expect(read('animal-store.log')).toMatch(
          /^127\.0\.0\.1 .*"GET \/v1\/store\/orders HTTP\/1\.1"/,
        );
        for (const name of ['animal-store.log', 'main.log', 'error.log']) {
          expect(read(name)).not.toContain('Ada');
        }
      }
    });

    test('redirects from HTTP to HTTPS only for its own name, and forwards the answers of the service there', async () => {
      for (const [name, path] of [
        ['animals.example', '/v1/pets?limit=1'],
        ['attacker.example', '/v1/pets?limit=1'],
        ['attacker.example', '/v1/events'],
      ]) {
        const led = await exchange(nginx, 'http', [
          `GET ${path} HTTP/1.1`,
          `Host: ${name}`,
          'Connection: close',
        ]);
        expect(led.status).toBe(308);
        expect(led.headers.get('location')).toBe(`https://animals.example${path}`);
      }
      const listed = await send(nginx, 'GET', {
        headers: { authorization: `Bearer ${server.app.apiKey}` },
      });
      expect(await listed.text()).toBe('[]');
      expectTransportSecurity(listed, 'https');
      // The form that browsers send. Bun's fetch would encode it.
      const search = await exchange(nginx, 'https', [
        'GET /v1/pets?name=a\\b HTTP/1.1',
        host,
        `Authorization: Bearer ${server.app.apiKey}`,
        'Connection: close',
      ]);
      expect(search.status).toBe(200);
      const unknown = await send(nginx, 'GET', {}, '/v1/nothing');
      expect(unknown.headers.get('x-request-id')).toBe('test');
      await expectError(unknown, 'route_not_found');
    });

    function expectCors({ headers }: Response): void {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-expose-headers')).toBe('Retry-After, X-Request-Id');
    }

    function expectTransportSecurity({ headers }: Response, scheme: 'http' | 'https'): void {
      const expected = scheme === 'https' ? 'max-age=31536000' : null;
      expect(headers.get('strict-transport-security')).toBe(expected);
    }
  },
);

/** The only answer to a request with these lines. nginx closes the connection after it. */
async function exchange(
  { httpPort, tlsPort, certificate }: PublishedNginx,
  scheme: 'http' | 'https',
  lines: readonly string[],
): Promise<Response> {
  const connection =
    scheme === 'http'
      ? await connect(httpPort)
      : await connect(tlsPort, { ca: certificate, serverName: 'animals.example' });
  await connection.send([`${lines.join('\r\n')}\r\n\r\n`]);
  const answers = readAnswers(await connection.received);
  const [answer] = answers;
  if (answer === undefined || answers.length > 1) throw new Error(`${answers.length} answers came`);
  return answer;
}

function send(
  { tlsPort, certificate }: PublishedNginx,
  method: string,
  init: { headers?: Record<string, string>; body?: string } = {},
  path = '/v1/pets',
): Promise<Response> {
  return fetch(`https://127.0.0.1:${tlsPort}${path}`, {
    method,
    ...init,
    headers: { host: 'animals.example', ...init.headers },
    tls: { ca: certificate, serverName: 'animals.example' },
  });
}

/** A server that reads a request and closes the connection without an answer. */
function listenAndClose() {
  const requests: string[] = [];
  const listener = Bun.listen<{ text: string }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { text: '' };
      },
      data(socket, bytes) {
        socket.data.text += bytes.toString('latin1');
        if (!socket.data.text.endsWith('\r\n\r\n{}')) return;
        requests.push(socket.data.text.split(' ', 2).join(' '));
        socket.end();
      },
    },
  });
  return { port: listener.port, requests, [Symbol.dispose]: () => listener.stop(true) };
}

/** The answer over HTTP/2 to a body that is announced and never sent. */
async function announceOverHttp2(
  { tlsPort, certificate }: PublishedNginx,
  length: number,
): Promise<Response> {
  const session = connectHttp2(`https://127.0.0.1:${tlsPort}`, {
    ca: certificate,
    servername: 'animals.example',
  });
  const request = session.request({
    ':method': 'POST',
    ':path': '/v1/pets',
    ':authority': 'animals.example',
    'content-length': length,
  });
  const answered = Promise.withResolvers<IncomingHttpHeaders>();
  request.on('response', answered.resolve).on('error', answered.reject);
  const { ':status': status, ...headers } = await answered.promise;
  const body = await text(request);
  session.destroy();
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new Response(body, { status: Number(status), headers: Object.fromEntries(pairs) });
}
