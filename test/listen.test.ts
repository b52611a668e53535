import { describe, expect, test } from 'bun:test';
import { call } from './support/call-server.ts';
import { findFreePort } from './support/free-port.ts';
import { type ListenProcess, startListen } from './support/listen-process.ts';
import { readFeed } from './support/replay-feed.ts';
import {
  program,
  refusal,
  runProgram,
  type ServerProcess,
  startServerProcess,
} from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { startReceiver } from './support/webhook-receiver.ts';

/** A server with an empty database. */
async function openShop() {
  const folder = makeTemporaryFolder();
  const databaseUrl = `sqlite:${folder.path}/shop.db`;
  const server = await startServerProcess(databaseUrl);
  const apiKey = server.firstKey ?? '';
  return {
    server,
    apiKey,
    databaseUrl,
    send: (method: string, path: string, body: string, to: ServerProcess = server) =>
      send(to, apiKey, method, path, body),
    add: (name: string, to: ServerProcess = server) =>
      send(to, apiKey, 'POST', '/pets', JSON.stringify({ name, categoryId: 7 })),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

async function send(
  server: ServerProcess,
  apiKey: string,
  method: string,
  path: string,
  body: string,
): Promise<void> {
  const response = await call(server, apiKey, `/v1${path}`, method, body);
  if (!response.ok) throw new Error(`${method} ${path} got ${response.status}`);
}

/** Creates a key, and returns its text. */
async function createKey(databaseUrl: string, scopes: string): Promise<string> {
  const args = ['keys', 'create', '--name', 'other', '--scopes', scopes, '--json'];
  const { stdout } = await runProgram(args, { DATABASE_URL: databaseUrl });
  return JSON.parse(stdout).apiKey;
}

/** The lines about events, without their times. */
function withoutTimes(lines: readonly string[]): string[] {
  return lines.map((line) =>
    line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}/, '').replace(/ \d+ ms/, ' N ms'),
  );
}

/** Waits for the line about an event that the receiver accepted. */
function accepted(listening: ListenProcess, sequence: number): Promise<unknown> {
  return listening.shown(new RegExp(`Z {2}${sequence} {2}.* 204 {2}\\d+ ms\\n`));
}

describe('listen', () => {
  test('posts the events of a server in order, signed, with every byte of the feed', async () => {
    await using shop = await openShop();
    await shop.add('before');
    using receiver = startReceiver();
    const url = `${receiver.url}?from=shop`;
    await using listening = await startListen(shop.server, shop.apiKey, url);
    receiver.setSecret(listening.secret);
    const strange = 'Müsli \\u0041\u2028"\\ \u{1f431}';
    await shop.send('PUT', '/categories/-9223372036854775808', '{"name":"Last"}');
    const body = `{"name":${JSON.stringify(strange)},"categoryId":9223372036854775807}`;
    await shop.send('POST', '/pets', body);
    await shop.send('POST', '/store/orders', '{"petId":2}');
    await accepted(listening, 5);
    const { exitCode, lines, stdout, stderr } = await listening.stop();

    const feed = await readFeed((path) => call(shop.server, shop.apiKey, `/v1${path}`));
    expect(receiver.received.map((each) => each.body)).toEqual(feed.slice(1));
    expect(receiver.received.map(({ id }) => id)).toEqual(
      feed.slice(1).map((text) => JSON.parse(text).id),
    );
    expect(receiver.received.every(({ isSigned }) => isSigned)).toBe(true);
    expect(receiver.received[0]?.path).toBe('/hook?from=shop');
    expect(Object.fromEntries(receiver.received[0]?.headers ?? [])).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^animal-store\/\d+\.\d+\.\d+$/),
    });
    expect(receiver.received[1]?.body).toContain('"categoryId":9223372036854775807,');

    expect(withoutTimes(lines)).toEqual([
      '2  category.created  category:-9223372036854775808  204  N ms',
      '3  pet.created  pet:2  204  N ms',
      '4  order.created  order:1  204  N ms',
      '5  pet.updated  pet:2  204  N ms',
    ]);
    expect(stdout).toStartWith(
      `Events of ${shop.server.origin}/v1 after 1 are posted to ${url}.\n`,
    );
    expect([exitCode, stderr]).toEqual([0, 'To continue, add --after 5.\n']);
    expect(stdout + stderr).not.toContain(shop.apiKey);
  });

  test('a receiver that does not run yet, or restarts, misses no event', async () => {
    await using shop = await openShop();
    const port = findFreePort();
    const url = `http://localhost:${port}/`;
    await using listening = await startListen(shop.server, shop.apiKey, url);
    const { secret } = listening;
    await shop.add('Rex');
    await listening.shown(
      / 1 {2}pet\.created {2}pet:1 {2}- {2}.*ECONNREFUSED.*; waiting for the receiver\n/,
    );
    const ids: string[] = [];
    for (const sequence of [2, 3]) {
      using receiver = startReceiver({ port, secret });
      await shop.add('Ada');
      await accepted(listening, sequence);
      expect(receiver.received.every(({ isSigned }) => isSigned)).toBe(true);
      ids.push(...receiver.received.map(({ id }) => id.replace(/_\w{8}$/, '')));
    }
    expect(ids).toEqual(['evt_1', 'evt_2', 'evt_3']);
    // It waits once more.
    await shop.add('Max');
    await listening.shown(/ 4 {2}pet\.created .* waiting for the receiver\n/);
    const { exitCode, lines, stderr } = await listening.stop('SIGTERM');
    expect(lines.filter((line) => line.includes('waiting'))).toHaveLength(2);
    expect([exitCode, stderr]).toEqual([0, 'To continue, add --after 3.\n']);

    using receiver = startReceiver({ port, secret });
    const args = ['--after', '3'];
    await using continued = await startListen(shop.server, shop.apiKey, url, { args });
    await accepted(continued, 4);
    expect(receiver.received).toMatchObject([{ isSigned: true }]);
  });

  test('an event that the receiver fails is repeated with one id, and skipped after four attempts', async () => {
    await using shop = await openShop();
    using receiver = startReceiver({
      answer({ body }, count) {
        if (body.includes('Bad')) {
          return count === 3
            ? new Response(null, { status: 410 })
            : new Response('no\nanimal\u001b[0m', { status: 500 });
        }
        if (count === 1) return Response.redirect(`${receiver.url}/moved`, 308);
        return new Response(null, { status: 204 });
      },
    });
    await using listening = await startListen(shop.server, shop.apiKey, receiver.url);
    receiver.setSecret(listening.secret);
    await shop.add('Good');
    await shop.add('Bad');
    await shop.add('Better');
    await accepted(listening, 3);
    const { lines } = await listening.stop();
    const bad = '2  pet.created  pet:2  500  N ms  no animal[0m';
    expect(withoutTimes(lines)).toEqual([
      '1  pet.created  pet:1  308  N ms  redirects are not followed; next attempt in 0.5 s',
      '1  pet.created  pet:1  204  N ms',
      '2  pet.created  pet:2  410  N ms  no body; next attempt in 0.5 s',
      `${bad}; next attempt in 1 s`,
      `${bad}; next attempt in 2 s`,
      `${bad}; skipped after 4 attempts`,
      '3  pet.created  pet:3  204  N ms',
    ]);
    const counts = Map.groupBy(receiver.received, ({ id }) => id);
    expect([...counts.values()].map(({ length }) => length)).toEqual([2, 4, 1]);
    expect(receiver.received.every(({ isSigned, path }) => isSigned && path === '/hook')).toBe(
      true,
    );
    const times = receiver.received.map(({ headers }) => Number(headers.get('webhook-timestamp')));
    expect(times).toEqual(times.toSorted());
  });

  test('the body of a failed answer is one readable line, cut, and without API keys', async () => {
    await using shop = await openShop();
    const message = `There is no path ${'/\u{1f431}'.repeat(99)}`;
    const bodies = [
      JSON.stringify({ code: 'route_not_found', message }),
      `no\t"${shop.apiKey}"\u202e\u0007\u001b[2J\r\n`,
    ];
    using receiver = startReceiver({
      answer: (_, count) =>
        new Response(bodies[count - 1] ?? null, { status: bodies[count - 1] ? 404 : 204 }),
    });
    await using listening = await startListen(shop.server, shop.apiKey, receiver.url);
    await shop.add('Rex');
    await accepted(listening, 1);
    const { lines, stdout } = await listening.stop();
    const cut = [...`${bodies[0]}`].slice(0, 128).join('');
    expect(withoutTimes(lines)).toEqual([
      `1  pet.created  pet:1  404  N ms  ${cut}…; next attempt in 0.5 s`,
      '1  pet.created  pet:1  404  N ms  no "anst_…"[2J; next attempt in 1 s',
      '1  pet.created  pet:1  204  N ms',
    ]);
    expect(stdout).not.toContain(shop.apiKey.slice(10, 20));
  });

  test('Ctrl-C ends it after a receiver that switches to another protocol', async () => {
    await using shop = await openShop();
    const head = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n';
    using receiver = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.write(head), drain() {} },
    });
    const url = `http://127.0.0.1:${receiver.port}/`;
    await using listening = await startListen(shop.server, shop.apiKey, url);
    await shop.add('Rex');
    await listening.shown(/ 1 {2}pet\.created {2}pet:1 {2}101 {2}.*; next attempt in 0\.5 s\n/);
    expect(await listening.stop()).toMatchObject({
      exitCode: 0,
      stderr: 'To continue, add --after 0.\n',
    });
  });

  test('after a kill of the server, listen continues when it is back, and posts each event once', async () => {
    await using shop = await openShop();
    using receiver = startReceiver();
    await using listening = await startListen(shop.server, shop.apiKey, receiver.url);
    await shop.add('Rex');
    await accepted(listening, 1);
    await shop.server.stop('SIGKILL');
    await listening.noted(/^The server does not answer \(no connection\)\. listen retries\.\n/m);
    const args = ['--port', new URL(shop.server.origin).port];
    await using again = await startServerProcess(shop.databaseUrl, { args });
    await shop.add('Ada', again);
    await shop.add('Max', again);
    await accepted(listening, 3);
    const { exitCode, stderr } = await listening.stop();
    expect(receiver.received.map(({ body }) => JSON.parse(body).sequence)).toEqual([1, 2, 3]);
    expect([exitCode, stderr.match(/^.*\n/gm)]).toEqual([
      0,
      [
        'The server does not answer (no connection). listen retries.\n',
        'The stream continues.\n',
        'To continue, add --after 3.\n',
      ],
    ]);
  });

  test('begins where --after says, and posts only events of --types', async () => {
    await using shop = await openShop();
    await shop.add('Rex');
    await shop.send('POST', '/store/orders', '{"petId":1}');
    await shop.send('PATCH', '/pets/1', '{"name":"Max"}');
    using receiver = startReceiver();
    const args = ['--after', '1', '--types', 'order.*, pet.deleted'];
    const server = { origin: `${shop.server.origin}/v1/` };
    await using listening = await startListen(server, shop.apiKey, receiver.url, { args });
    await shop.send('PATCH', '/store/orders/1', '{"status":"shipped"}');
    await accepted(listening, 5);
    const types = receiver.received.map(({ body }) => JSON.parse(body).type);
    expect(types).toEqual(['order.created', 'order.updated']);
  });

  test('sends neither an event nor its key to the proxy of the environment', async () => {
    await using shop = await openShop();
    using receiver = startReceiver();
    const url = receiver.url.replace('127.0.0.1', 'localhost');
    const env = { HTTP_PROXY: 'http://127.0.0.1:1' };
    await using listening = await startListen(shop.server, shop.apiKey, url, { env });
    await shop.add('Rex');
    await accepted(listening, 1);
    expect(receiver.received).toHaveLength(1);
  });

  test('ends with 0 when its output is closed', async () => {
    await using shop = await openShop();
    using receiver = startReceiver();
    const listen = `${program.join(' ')} listen --server ${shop.server.origin} --forward-to ${receiver.url}`;
    const child = Bun.spawn(
      ['bash', '-c', `${listen} --after 0 | head -n 6 >/dev/null; echo "\${PIPESTATUS[0]}"`],
      {
        env: { PATH: process.env.PATH, ANIMAL_STORE_API_KEY: shop.apiKey },
        stderr: 'pipe',
      },
    );
    // The sixth line is about the first event. A later one finds that no program reads.
    for (let count = 0; child.exitCode === null && count < 1000; count += 1) await shop.add('Rex');
    const [stdout, stderr] = [await child.stdout.text(), await child.stderr.text()];
    expect([stdout, stderr]).toEqual(['0\n', expect.stringMatching(/^To continue, add .*\n$/)]);
  });

  test('its secret is the same for the same key, and can be set', async () => {
    await using shop = await openShop();
    const other = await createKey(shop.databaseUrl, 'events:read');
    const secretOf = async (apiKey: string) => {
      await using listening = await startListen(shop.server, apiKey, 'http://127.0.0.1:1/');
      return listening.secret;
    };
    const secret = await secretOf(shop.apiKey);
    expect(await secretOf(shop.apiKey)).toBe(secret);
    expect(await secretOf(other)).not.toBe(secret);

    const own = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
    using receiver = startReceiver({ secret: own });
    await using listening = await startListen(shop.server, shop.apiKey, receiver.url, {
      env: { ANIMAL_STORE_WEBHOOK_SECRET: own },
    });
    await shop.add('Rex');
    await accepted(listening, 1);
    const { stdout } = await listening.stop();
    expect(receiver.received).toMatchObject([{ isSigned: true }]);
    expect(stdout).not.toContain('whsec_');
  });

  test('ends with one line when its key is revoked', async () => {
    await using shop = await openShop();
    await using listening = await startListen(shop.server, shop.apiKey, 'http://127.0.0.1:1/');
    await runProgram(['keys', 'revoke', '1'], { DATABASE_URL: shop.databaseUrl });
    const { exitCode, stderr } = await listening.ended;
    expect([exitCode, stderr.match(/^.*\n/gm)]).toEqual([
      1,
      [
        'To continue, add --after 0.\n',
        expect.stringMatching(/^animal-store: http:.* does not accept this API key: .*\n$/),
      ],
    ]);
  });
});

describe('on a terminal, listen', () => {
  /** Runs it without a key in the environment, and types a text at each of these texts in turn. */
  async function runAt(origin: string, typed: readonly (readonly [string, string])[]) {
    const decoder = new TextDecoder();
    const remaining = [...typed];
    let shown = '';
    const args = ['listen', '--server', origin, '--forward-to', 'http://127.0.0.1:1/'];
    const child = Bun.spawn([...program, ...args], {
      env: { PATH: process.env.PATH, TERM: 'dumb' },
      terminal: {
        data(terminal, bytes) {
          shown += decoder.decode(bytes, { stream: true });
          const [awaited, text] = remaining[0] ?? [];
          if (awaited === undefined || text === undefined || !shown.includes(awaited)) return;
          remaining.shift();
          terminal.write(text);
        },
      },
    });
    const exitCode = await child.exited;
    child.terminal?.close();
    return { exitCode, shown };
  }

  test('asks for the key without showing it', async () => {
    await using shop = await openShop();
    const { exitCode, shown } = await runAt(shop.server.origin, [
      ['API key (not shown): ', `${shop.apiKey}\r`],
      ['whsec_', '\x03'],
    ]);
    expect(exitCode).toBe(0);
    expect(shown).toContain('API key (not shown): \r\nEvents of ');
    expect(shown).toContain('To continue, add --after 0.\r\n');
    expect(shown).not.toContain(shop.apiKey.slice(10, 20));
  });

  test.each([
    ['Ctrl-C', '\x03', 'No API key was given'],
    ['Ctrl-D', '\x04', 'No API key was given'],
    ['a short text', 'rex\r', 'The API key must be 20 to 512 characters of '],
  ])('ends with one line after %s at the question for the key', async (_, text, line) => {
    const { exitCode, shown } = await runAt('http://127.0.0.1:1', [
      ['API key (not shown): ', text],
    ]);
    expect(exitCode).toBe(1);
    expect(shown).toStartWith(`API key (not shown): \r\nanimal-store: ${line}`);
    expect(shown.trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('listen refuses in one line each', () => {
  const receiver = 'http://localhost:3000/hook';
  const someKey = 'anst_live_00000000000000000000000000000000000000';

  function listen(server: string, args: readonly string[] = [], env: Record<string, string> = {}) {
    const all = ['listen', '--server', server, '--forward-to', receiver, ...args];
    return runProgram(all, { ANIMAL_STORE_API_KEY: someKey, ...env });
  }

  test('options that are not valid, without their secrets', async () => {
    const receiverRule =
      '--forward-to must be an http or https URL without a user, such as http://localhost:3000/hook';
    const serverRule =
      '--server must be the http or https URL of a server, such as https://animals.example/v1';
    const others = ['--after', '-1', '--types', 'pet.*,'];
    const wrong = await listen('animals.example', ['--forward-to', 'ftp://localhost/', ...others]);
    expect([wrong.exitCode, wrong.stdout, ...wrong.stderr.split('\n')]).toEqual([
      2,
      '',
      `animal-store: ${serverRule}, got "animals.example"`,
      `animal-store: ${receiverRule}, got "ftp://localhost/"`,
      'animal-store: --after must be now, or the sequence of an event, got "-1"',
      'animal-store: --types must be a list of types, separated by commas, got "pet.*,"',
      '',
    ]);
    const user = 'ada:secret@localhost';
    const secret = await listen(`https://${user}/v1`, ['--forward-to', `http://${user}/`]);
    expect(secret).toEqual(refusal(`${serverRule}\nanimal-store: ${receiverRule}`, 2));
  });

  test('a missing key without a terminal, and a malformed key or secret', async () => {
    const withEnv = (env: Record<string, string>) => listen('http://127.0.0.1:1', [], env);
    expect(await withEnv({ ANIMAL_STORE_API_KEY: '' })).toEqual(
      refusal('Set ANIMAL_STORE_API_KEY to an API key with the scope events:read', 2),
    );
    const badKey = await withEnv({ ANIMAL_STORE_API_KEY: 'bad key' });
    expect(badKey).toMatchObject({ exitCode: 2 });
    expect(badKey.stderr).toMatch(/^animal-store: ANIMAL_STORE_API_KEY must be .*\n$/);
    expect(badKey.stderr).not.toContain('bad key');
    expect(await withEnv({ ANIMAL_STORE_WEBHOOK_SECRET: 'whsec_c2hvcnQ=' })).toEqual(
      refusal('ANIMAL_STORE_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes in base64', 2),
    );
  });

  test('an address without a server, or with another one', async () => {
    const closed = await listen(`http://127.0.0.1:${findFreePort()}`);
    expect(closed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(closed.stderr).toMatch(
      /^animal-store: No animal store answers at http:\/\/127\.0\.0\.1:\d+\/v1: The connection failed: .*\n$/,
    );
    using other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url }) =>
        url.includes('/page/') ? new Response('<p>Hello') : new Response('', { status: 404 }),
    });
    const origin = `http://127.0.0.1:${other.port}`;
    expect(await listen(origin)).toEqual(
      refusal(
        `No animal store answers at ${origin}/v1: HTTP 404 with a body that is not the service's`,
      ),
    );
    expect(await listen(`${origin}/page`)).toEqual(
      refusal(
        `No animal store answers at ${origin}/page/v1: HTTP 200 with a body that is not the service's`,
      ),
    );
  });

  test('a key without the scope, an unknown key, an unknown type, and a position that is not in the feed', async () => {
    await using shop = await openShop();
    await shop.add('Rex');
    const { origin } = shop.server;
    const withKey = (apiKey: string, ...args: string[]) =>
      listen(origin, args, { ANIMAL_STORE_API_KEY: apiKey });
    const petsOnly = await createKey(shop.databaseUrl, 'pets:read');
    expect(await withKey(petsOnly)).toEqual(
      refusal(
        `${origin}/v1 answers 403 insufficient_scope: listEvents needs a key with the scope events:read`,
      ),
    );
    const unknown = await withKey(someKey);
    expect(unknown.exitCode).toBe(1);
    expect(unknown.stderr).toMatch(
      /^animal-store: http:.*\/v1 does not accept this API key: .*\n$/,
    );
    const type = await withKey(shop.apiKey, '--types', 'cat.*');
    expect(type.stderr).toMatch(
      /^animal-store: http:.*\/v1 answers 400 invalid_parameter: type must be one of .*"cat\.\*".*\n$/,
    );
    const expired = await withKey(shop.apiKey, '--after', '9');
    expect(expired).toMatchObject({ exitCode: 1, stdout: '' });
    expect(expired.stderr).toMatch(
      /^animal-store: Not all events after position 9 are in the feed, .*\. --after now begins with the next event\n$/,
    );
  });

  test('an event that is not valid, a position that expires while it listens, and a server without events', async () => {
    const stream = (text: string) =>
      new Response(text, { headers: { 'content-type': 'text/event-stream' } });
    const fail = (status: number, code: string, message: string) =>
      Response.json({ code, message, status }, { status });
    const answers: Record<string, readonly Response[]> = {
      // The filter left out the events up to 7.
      bad: [
        stream('retry: 1\n\nid: 7\n\n'),
        fail(429, 'rate_limited', 'Later'),
        stream('id: 8\ndata: {"id":"a b","sequence":8,"type":"x","data":{}}\n\n'),
      ],
      expired: [fail(410, 'cursor_expired', 'The position is gone')],
    };
    const counts: Record<string, number> = {};
    using other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const [, name = '', path] = /(\w+)\/v1(\/.*)\?/.exec(request.url) ?? [];
        if (name === 'off') return fail(410, 'cursor_expired', 'This server keeps no events');
        if (path === '/events') return new Response('[]', { headers: { 'last-event-id': '0' } });
        const count = counts[name] ?? 0;
        counts[name] = count + 1;
        return answers[name]?.[count] ?? new Response('', { status: 404 });
      },
    });
    const origin = `http://127.0.0.1:${other.port}`;
    const bad = await listen(`${origin}/bad`);
    expect([bad.exitCode, ...bad.stderr.split('\n')]).toEqual([
      1,
      'The server refuses the stream (HTTP 429). listen retries.',
      'The stream continues.',
      'To continue, add --after 7.',
      'animal-store: The server sent an event that is not valid',
      '',
    ]);
    expect(await listen(`${origin}/expired`)).toMatchObject({
      exitCode: 1,
      stderr: 'animal-store: The position is gone. --after now begins with the next event\n',
    });
    expect(await listen(`${origin}/off`)).toEqual(
      refusal('This server keeps no events. listen needs a server with --event-days of 1 or more'),
    );
  });
});
