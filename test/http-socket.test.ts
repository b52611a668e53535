import { describe, expect, test } from 'bun:test';
import { expectError, readIds } from './support/answers.ts';
import { addPets, equalPets } from './support/catalogue.ts';
import { ask, expectServing, postHeaders, readAnswers, request } from './support/raw-http.ts';
import { openTestServer } from './support/test-server.ts';

const rex = '{"name":"Rex","categoryId":1}';

describe('a Host', () => {
  test.each([
    ['that is empty', ['Host:']],
    ['with a user', ['Host: user@h']],
    ['sent twice with the same value', ['Host: a', 'Host: a']],
    ['in bytes that are not ASCII', ['Host: h\u00f6st']],
  ])('%s answers 400 invalid_header', async (_name, headers) => {
    await using server = await openTestServer();
    for (const line of ['GET /v1/pets HTTP/1.1', 'GET /v1/pets/1 HTTP/1.1', 'GET / HTTP/1.1']) {
      await expectError(await ask(server, request(server, line, headers)), 'invalid_header');
    }
  });

  test('may be missing with HTTP/1.0, and then Link is relative', async () => {
    await using server = await openTestServer();
    await addPets(server.app, equalPets(2));
    const listed = await ask(server, request(server, 'GET /v1/pets?limit=1 HTTP/1.0', []));
    expect(listed.headers.get('link')).toStartWith('</v1/pets?limit=1&cursor=');
    expect(await readIds(listed)).toEqual([2]);
    const one = await ask(server, request(server, 'GET /v1/pets/1 HTTP/1.0', []));
    expect(one.headers.get('link')).toBe('</v1/pets>; rel="successor-version"');
    const query = 'GET /v1/pets/1?from=http://h.example/v1/nothing HTTP/1.0';
    expect((await ask(server, request(server, query, []))).status).toBe(200);
    const headers = ['Content-Type: application/json', `Content-Length: ${rex.length}`];
    const post = request(server, 'POST /v1/pets HTTP/1.0', headers, rex);
    expect((await ask(server, post)).headers.get('location')).toBe('/v1/pets/3');
  });
});

describe('a server that receives a stop signal', () => {
  test('closes each connection with the answer to its request, and announces it', async () => {
    await using server = await openTestServer();
    server.app.isDraining = true;
    for (const path of ['/v1/pets', '/v1/nothing', '/livez', '/readyz']) {
      const key = `Authorization: Bearer ${server.app.apiKey}`;
      const text = `GET ${path} HTTP/1.1\r\nHost: h.example\r\n${key}\r\n\r\n`;
      const [answer, ...more] = readAnswers(await server.exchange(text));
      expect(answer?.headers.get('connection')).toBe('close');
      expect(more).toEqual([]);
    }
    const ahead = 'GET /livez HTTP/1.1\r\nHost: h.example\r\n\r\n';
    expect(readAnswers(await server.exchange(ahead + ahead))).toHaveLength(1);
  });
});

describe('a target', () => {
  test('in absolute form is routed by its path', async () => {
    await using server = await openTestServer();
    await addPets(server.app, equalPets(1));
    const listed = request(server, 'GET http://h.example/v1/pets?id=1 HTTP/1.1');
    expect(await readIds(await ask(server, listed))).toEqual([1]);
    const nothing = request(server, 'GET http://h.example/v1/nothing HTTP/1.1');
    await expectError(await ask(server, nothing), 'route_not_found');
    const keyless = ['Host: h.example', 'Authorization: Basic YTpi'];
    const refused = request(server, 'GET http://h.example/v1/pets HTTP/1.1', keyless);
    await expectError(await ask(server, refused), 'missing_api_key');
  });
});

describe('HEAD', () => {
  // The other headers are those of GET for every path: http-headers.test.ts.
  test.each(['/v1/pets', '/v1/pets/404', '/livez'])(
    '%s answers without a body, and with the Content-Length of GET',
    async (path) => {
      await using server = await openTestServer();
      await addPets(server.app, equalPets(3));
      const got = await ask(server, request(server, `GET ${path} HTTP/1.1`));
      const head = await server.exchange(request(server, `HEAD ${path} HTTP/1.1`));
      const [answer, more] = readAnswers(head, 'without');
      expect(more).toBeUndefined();
      expect(answer?.status).toBe(got.status);
      expect(answer?.headers.get('content-length')).toBe(String((await got.bytes()).length));
      await expectServing(server);
    },
  );
});

describe('a body', () => {
  test('that arrives too slowly answers 400 invalid_json, and ends the connection', async () => {
    await using server = await openTestServer({ bodySecondsMax: 0.1 });
    // The slow bodies use the timer that a complete body started.
    expect((await server.app.post(rex)).status).toBe(201);
    for (const [field, start] of [
      ['Content-Length: 29', rex.slice(0, 9)],
      ['Transfer-Encoding: chunked', chunk(rex.slice(0, 9))],
    ] as const) {
      const key = `Authorization: Bearer ${server.app.apiKey}`;
      const head = ['POST /v1/pets HTTP/1.1', ...postHeaders(field), key].join('\r\n');
      const [answer, ...more] = readAnswers(await server.exchange(`${head}\r\n\r\n`, start));
      if (answer === undefined) throw new Error('No answer came');
      expect(more).toEqual([]);
      expect(answer.headers.get('connection')).toBe('close');
      expect(await expectError(answer, 'invalid_json')).toContain('incomplete after 0.1 s');
    }
    await expectServing(server);
    expect(await readIds(await server.app.send('/v1/pets'))).toEqual([1]);
  });

  test('that its sender aborts adds nothing, and is not logged as a fault', async () => {
    await using server = await openTestServer();
    const head = request(server, 'POST /v1/pets HTTP/1.1', postHeaders('Content-Length: 29'));
    await server.abandon(head, '{"name":"Rex"');
    const headers = postHeaders('Transfer-Encoding: chunked');
    const chunked = request(server, 'POST /v1/pets HTTP/1.1', headers);
    await server.abandon(chunked, chunk('{"name":"Rex"'));
    await expectServing(server);
    expect(await readIds(await server.app.send('/v1/pets'))).toEqual([]);
  });

  function chunk(text: string): string {
    return `${text.length.toString(16)}\r\n${text}\r\n`;
  }
});
