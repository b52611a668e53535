import { beforeAll, describe, expect, test } from 'bun:test';
import type { Socket } from 'node:net';
import { platform } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { Webhook } from 'standardwebhooks';
import type { AttemptError } from '../src/domain/webhook-target.ts';
import { attemptLimits, createSend } from '../src/webhooks/send.ts';
import { findFreePort } from './support/free-port.ts';
import { isMissing } from './support/proxy-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import {
  allow,
  attempt,
  attemptInProcess,
  type Certificate,
  event,
  flood,
  makeCertificate,
  openEndpoint,
  outcomeOf,
  resolveTo,
  respond,
  secret,
} from './support/webhook-endpoint.ts';

const ok = respond('HTTP/1.1 200 OK', 'thanks');

/** So that a test need not wait. Attempts that succeed have the real limits. */
const shortLimits = { ...attemptLimits, connectMilliseconds: 200, wholeMilliseconds: 200 };

describe('an attempt', () => {
  test('sends the event as it is stored, with headers that the package standardwebhooks accepts', async () => {
    const requests: string[] = [];
    await using endpoint = await openEndpoint((socket, request) => {
      requests.push(request);
      ok(socket, request);
    });
    const url = `http://shop.example:${endpoint.port}/hooks/a%20b?token=x&y#part`;
    expect(await outcomeOf(attempt(url))).toEqual({ httpStatus: 200, responseExcerpt: 'thanks' });
    const [request = ''] = requests;
    const [head = '', body = ''] = request.split('\r\n\r\n');
    const [line, ...fields] = head.split('\r\n');
    const headers = Object.fromEntries(
      fields.map((field) => {
        const [name = '', value = ''] = field.split(': ');
        return [name.toLowerCase(), value];
      }),
    );
    expect([line, body]).toEqual(['POST /hooks/a%20b?token=x&y HTTP/1.1', event.body]);
    expect(headers).toEqual({
      host: `shop.example:${endpoint.port}`,
      'user-agent': 'animal-store/1.1.0',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(event.body)),
      connection: 'close',
      'webhook-id': event.eventId,
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(event.body));
  });

  test('has a new timestamp and the same id when it is repeated', async () => {
    const requests: string[] = [];
    await using endpoint = await openEndpoint((socket, request) => {
      requests.push(request);
      ok(socket, request);
    });
    const url = `http://shop.example:${endpoint.port}/`;
    for (const now of [1_795_267_985_000, 1_795_267_990_999]) {
      expect(await attempt(url, { now: () => now })).toMatchObject({ httpStatus: 200 });
    }
    const sent = (name: string) =>
      requests.map((request) => new RegExp(`^${name}: (.*)\r$`, 'im').exec(request)?.[1]);
    expect(sent('webhook-timestamp')).toEqual(['1795267985', '1795267990']);
    expect(sent('webhook-id')).toEqual([event.eventId, event.eventId]);
    expect(new Set(sent('webhook-signature')).size).toBe(2);
    expect(endpoint.connections).toBe(2);
  });

  // Other systems have no second loopback address.
  test.skipIf(platform() !== 'linux')(
    'uses another address of the name if one accepts no connection, on Linux',
    async () => {
      await using endpoint = await openEndpoint(ok);
      const resolve = resolveTo('127.0.0.3', '127.0.0.1');
      const outcome = outcomeOf(attempt(`http://shop.example:${endpoint.port}/`, { resolve }));
      expect(await outcome).toMatchObject({ httpStatus: 200 });
    },
  );

  test.each([
    ['HTTP/1.1 500 Internal Server Error', { httpStatus: 500 }],
    ['HTTP/1.1 410 Gone', { httpStatus: 410 }],
    ['HTTP/1.0 202 Accepted', { httpStatus: 202 }],
    ['HTTP/1.1 103 Early Hints\n\nHTTP/1.1 201 Created', { httpStatus: 201 }],
    ['HTTP/1.1 429 Slow Down\nRetry-After: 120', { httpStatus: 429, retryAfterSeconds: 120 }],
    [
      'HTTP/1.1 429 Slow\nRetry-After: 3\nContent-Length: 0',
      { httpStatus: 429, retryAfterSeconds: 3 },
    ],
    ['HTTP/1.1 503 Busy\nRetry-After: 0', { httpStatus: 503, retryAfterSeconds: 0 }],
    ['HTTP/1.1 503 Busy\nRetry-After: -1', { httpStatus: 503 }],
    ['HTTP/1.1 503 Busy\nRetry-After: soon', { httpStatus: 503 }],
    [
      'HTTP/1.1 503 Busy\nRetry-After: Sun, 21 Nov 2026 13:33:15 GMT',
      { httpStatus: 503, retryAfterSeconds: 10 },
    ],
    [
      'HTTP/1.1 503 Busy\nRetry-After: Sunday, 21-Nov-26 13:33:15 GMT',
      { httpStatus: 503, retryAfterSeconds: 10 },
    ],
    [
      'HTTP/1.1 503 Busy\nRetry-After: Sun Nov 21 13:33:15 2026',
      { httpStatus: 503, retryAfterSeconds: 10 },
    ],
    ['HTTP/1.1 503 Busy\nRetry-After: Sun, 21 Nov 2021 13:33:15 GMT', { httpStatus: 503 }],
  ])('reports %j', async (head, outcome) => {
    await using endpoint = await openEndpoint(respond(head));
    const now = () => Date.parse('2026-11-21T13:33:05.000Z');
    const url = `http://shop.example:${endpoint.port}/`;
    expect(await outcomeOf(attempt(url, { now }))).toEqual(outcome);
  });

  test.each([
    ['a\u0000\u001b[31mb\tc\r\nd\re\u0085\u007ff\n', 'a[31mb c\nd\nef\n'],
    [Buffer.from('a\xff\xe2\x82b', 'latin1'), 'a\ufffd\ufffdb'],
    // A character that is cut at 4096 bytes is left out.
    [`${'a'.repeat(4093)}\u{1f431}`, 'a'.repeat(4093)],
    [Buffer.alloc(9000, 0xff), '\ufffd'.repeat(1365)],
    ['\u{1f431}'.repeat(2000), '\u{1f431}'.repeat(1024)],
    ['\u0007', undefined],
    ['a\u202eb\u2028c\u{1f469}\u200d\u{1f469}', 'abc\u{1f469}\u200d\u{1f469}'],
  ])('keeps of the response %j at most 4 KiB as text', async (body, excerpt) => {
    await using endpoint = await openEndpoint(respond('HTTP/1.1 200 OK', body));
    const { responseExcerpt } = await attempt(`http://shop.example:${endpoint.port}/`);
    expect(responseExcerpt).toEqual(excerpt);
    expect(Buffer.byteLength(responseExcerpt ?? '')).toBeLessThanOrEqual(4096);
  });

  test.each([
    ['lines without CR', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', 'ok'],
    ['chunks without CR', 'HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nok\n0\n\n', 'ok'],
    [
      'equal lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok',
      undefined,
    ],
    ['a list of equal lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok', undefined],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      'ok',
    ],
  ])('accepts a response with %s', async (_name, answer, responseExcerpt) => {
    await using endpoint = await openEndpoint((socket) => socket.end(answer));
    const outcome = await outcomeOf(attempt(`http://shop.example:${endpoint.port}/`));
    expect(outcome).toEqual({ httpStatus: 200, responseExcerpt });
  });

  test('asks for a body that is not compressed, and shows no other', async () => {
    let request = '';
    await using endpoint = await openEndpoint((socket, text) => {
      request = text;
      respond('HTTP/1.1 200 OK\nContent-Encoding: gzip', Buffer.from(Bun.gzipSync('thanks')))(
        socket,
        text,
      );
    });
    const outcome = await outcomeOf(attempt(`http://shop.example:${endpoint.port}/`));
    expect(outcome).toEqual({ httpStatus: 200 });
    expect(request.toLowerCase()).toContain('\r\naccept-encoding: identity\r\n');
  });

  test.each([
    ['iso-8859-1', Buffer.from('M\xfcller', 'latin1'), 'M\u00fcller'],
    ['"windows-1252"', Buffer.from('5 \x80', 'latin1'), '5 \u20ac'],
    ['utf-16le', Buffer.from('M\u00fcller', 'utf16le'), 'M\u00fcller'],
    ['unknown', Buffer.from('M\u00fcller'), 'M\u00fcller'],
  ])('shows a body in %s', async (charset, body, responseExcerpt) => {
    const head = `HTTP/1.1 200 OK\nContent-Type: text/plain; charset=${charset}`;
    await using endpoint = await openEndpoint(respond(head, body));
    const outcome = await outcomeOf(attempt(`http://shop.example:${endpoint.port}/`));
    expect(outcome).toEqual({ httpStatus: 200, responseExcerpt });
  });

  test('ends when its signal is aborted, and closes the connection', async () => {
    const arrived = Promise.withResolvers<void>();
    await using endpoint = await openEndpoint(() => arrived.resolve());
    const stop = new AbortController();
    const ended = attempt(`http://shop.example:${endpoint.port}/`, { signal: stop.signal });
    await arrived.promise;
    stop.abort(new Error('stopping'));
    await expect(ended).rejects.toThrow('stopping');
    await endpoint.closed();
    const late = attempt('https://shop.example/', { signal: stop.signal });
    await expect(late).rejects.toThrow('stopping');
    const resolving = new AbortController();
    const resolve = () => {
      setImmediate(() => resolving.abort(new Error('stopping')));
      return new Promise<never>(() => {});
    };
    const named = attempt('https://shop.example/', { signal: resolving.signal, resolve });
    await expect(named).rejects.toThrow('stopping');
  });
});

test('of a response in very small parts, only the first ones are read, because each costs time', async () => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  await using endpoint = await openEndpoint((socket) => {
    socket.end(`${head}${'1\r\nx\r\n'.repeat(60_000)}0\r\n\r\n`);
  });
  const outcome = await outcomeOf(attempt(`http://127.0.0.1:${endpoint.port}/`));
  expect(outcome).toEqual({ httpStatus: 200, responseExcerpt: 'x'.repeat(64) });
});

test('a connection from an address to itself sends nothing, unless the operator permits the address', async () => {
  let requests = 0;
  await using endpoint = await openEndpoint(() => {
    requests += 1;
  });
  // As of an address that no running interface has.
  const target = { port: endpoint.port, host: '127.0.0.1', addresses: ['127.0.0.1'] };
  const url = new URL(`http://127.0.0.1:${endpoint.port}/`);
  const send = createSend({
    judgeTarget: () => Promise.resolve({ ...target, url, isPermitted: false }),
    version: '1.1.0',
    now: Date.now,
    steadyNow: () => performance.now(),
  });
  const sent = send({ url: url.href, secrets: [secret], ...event }, new AbortController().signal);
  expect(await outcomeOf(sent)).toEqual({ error: 'refused_target' });
  await endpoint.closed();
  expect(requests).toBe(0);
});

describe('an endpoint that does not work costs one attempt, and no memory', () => {
  const block = Buffer.alloc(64 * 1024, 'x');
  const gigabyte = 2 ** 30;
  /** What the buffers of two sockets and of the kernel may hold. */
  const bytesMax = 64 * 2 ** 20;

  /** Sends a byte every few milliseconds until the client closes the connection. */
  const drip = (head: string) => (socket: Socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write('x'), 5);
    socket.on('close', () => clearInterval(timer));
  };

  const brokenEndpoints: Record<string, [(socket: Socket, request: string) => void, AttemptError]> =
    {
      'closes the connection': [(socket) => socket.end(), 'connection_failed'],
      'resets the connection': [(socket) => socket.resetAndDestroy(), 'connection_failed'],
      'closes in the middle of the headers': [
        (socket) => socket.end('HTTP/1.1 200 OK\r\nX-A'),
        'connection_failed',
      ],
      'does not speak HTTP': [
        (socket) => socket.write('220 mail.example ESMTP\r\n'),
        'invalid_response',
      ],
      'speaks HTTP/0.9': [(socket) => socket.write('<html>thanks</html>'), 'invalid_response'],
      'speaks HTTP/2': [
        (socket) => socket.write(Buffer.from('000012040000000000', 'hex')),
        'invalid_response',
      ],
      'sends a wrong status': [
        (socket) => socket.write('HTTP/1.1 99999 A\r\n\r\n'),
        'invalid_response',
      ],
      'sends a status below 100': [
        (socket) => socket.write('HTTP/1.1 000 A\r\nContent-Length: 0\r\n\r\n'),
        'invalid_response',
      ],
      'sends two lengths': [
        (socket) =>
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nok'),
        'invalid_response',
      ],
      'sends a wrong length': [
        (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\nok'),
        'invalid_response',
      ],
      'sends an endless status line': [flood('HTTP/1.1 200 ', block, gigabyte), 'invalid_response'],
      'sends an endless header': [
        flood('HTTP/1.1 200 OK\r\nX-A: ', block, gigabyte),
        'invalid_response',
      ],
      'sends endless headers': [
        flood('HTTP/1.1 200 OK\r\n', Buffer.from('X-A: b\r\n'.repeat(8000)), gigabyte),
        'invalid_response',
      ],
      'sends endless informational responses': [
        flood(
          '',
          Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1000)),
          gigabyte,
        ),
        'invalid_response',
      ],
      'never responds': [() => {}, 'timeout'],
      'drips headers': [drip('HTTP/1.1 200 OK\r\nX-A: '), 'timeout'],
    };

  test.each(Object.keys(brokenEndpoints))('one that %s', async (name) => {
    const [onRequest = () => {}, error] = brokenEndpoints[name] ?? [];
    await using endpoint = await openEndpoint(onRequest);
    const limits = error === 'timeout' ? { limits: shortLimits } : {};
    const url = `http://shop.example:${endpoint.port}/`;
    const breaksRule = { responseExcerpt: expect.stringMatching(/^The response is not HTTP.+: ./) };
    expect(await outcomeOf(attempt(url, limits))).toEqual(
      error === 'invalid_response' ? { error, ...breaksRule } : { error },
    );
    await endpoint.closed();
    expect(endpoint.connections).toBe(1);
    expect(endpoint.bytesSent).toBeLessThan(bytesMax);
  });

  const longBodies: Record<string, (socket: Socket, request: string) => void> = {
    'a gigabyte': flood(`HTTP/1.1 200 OK\r\nContent-Length: ${gigabyte}\r\n\r\n`, block, gigabyte),
    'a body without an end': flood('HTTP/1.1 200 OK\r\n\r\n', block, gigabyte),
    'a gigabyte in one chunk': flood(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40000000\r\n',
      block,
      gigabyte,
    ),
  };

  test.each(Object.keys(longBodies))('one that answers with %s', async (name) => {
    await using endpoint = await openEndpoint(longBodies[name] ?? (() => {}));
    const outcome = await outcomeOf(attempt(`http://shop.example:${endpoint.port}/`));
    expect(outcome).toEqual({ httpStatus: 200, responseExcerpt: 'x'.repeat(4096) });
    await endpoint.closed();
    expect(endpoint.bytesSent).toBeLessThan(bytesMax);
  });

  test('one that sends longer headers than the limit', async () => {
    await using endpoint = await openEndpoint(respond(`HTTP/1.1 200 OK\nX-A: ${'b'.repeat(4000)}`));
    const url = `http://shop.example:${endpoint.port}/`;
    expect(await attempt(url)).toMatchObject({ httpStatus: 200 });
    const limits = { ...attemptLimits, headerBytes: 2000 };
    expect(await outcomeOf(attempt(url, { limits }))).toEqual({
      error: 'invalid_response',
      responseExcerpt: 'The response is not HTTP/1.1: Header overflow',
    });
  });

  test('one that responds slowly has more time than a connection', async () => {
    const limits = { ...attemptLimits, connectMilliseconds: 1000 };
    await using endpoint = await openEndpoint((socket) => {
      setTimeout(() => socket.end('HTTP/1.1 200 OK\r\n\r\nthanks'), 1200);
    });
    const outcome = await outcomeOf(attempt(`http://shop.example:${endpoint.port}/`, { limits }));
    expect(outcome).toEqual({ httpStatus: 200, responseExcerpt: 'thanks' });
  });

  test('one that drips its body: the status counts', async () => {
    const dripBody = drip('HTTP/1.1 200 OK\r\n\r\n');
    await using endpoint = await openEndpoint(dripBody);
    // The response arrives long before.
    const limits = { ...shortLimits, connectMilliseconds: 2000, wholeMilliseconds: 2000 };
    const outcome = await outcomeOf(attempt(`http://shop.example:${endpoint.port}/`, { limits }));
    expect(outcome).toEqual({ httpStatus: 200, responseExcerpt: expect.stringMatching(/^x+$/) });
    await endpoint.closed();
  });

  test.each([
    ['ends its body early', 'Content-Length: 50\r\n\r\nthanks'],
    ['sends wrong chunks', 'Transfer-Encoding: chunked\r\n\r\n6\r\nthanks\r\nwrong\r\n'],
  ])('one that %s: the status counts', async (_name, rest) => {
    await using endpoint = await openEndpoint((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\n${rest}`);
    });
    const outcome = await outcomeOf(attempt(`http://shop.example:${endpoint.port}/`));
    expect(outcome).toMatchObject({ httpStatus: 200 });
  });

  test('one that switches to another protocol', async () => {
    await using endpoint = await openEndpoint((socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      );
    });
    const outcome = await outcomeOf(attempt(`http://shop.example:${endpoint.port}/`));
    expect(outcome).toEqual({ httpStatus: 101 });
    await endpoint.closed();
  });

  test('one that accepts no connection, or no TLS', async () => {
    await using endpoint = await openEndpoint(() => {}, { atOnce: true });
    const { port } = endpoint;
    expect(await outcomeOf(attempt(`http://127.0.0.1:${findFreePort()}/`))).toEqual({
      error: 'connection_failed',
    });
    const limits = { limits: { ...shortLimits, wholeMilliseconds: 60_000 } };
    expect(await outcomeOf(attempt(`https://shop.example:${port}/`, limits))).toEqual({
      error: 'timeout',
    });
    await endpoint.closed();
  });
});

const missing = isMissing('openssl', 'openssl');
const leftOut = missing === undefined ? '' : `, left out: ${missing}`;

describe.skipIf(leftOut !== '')(`the certificate of an endpoint${leftOut}`, () => {
  let certificate: Certificate;
  let expired: Certificate;

  beforeAll(() => {
    certificate = makeCertificate('DNS:shop.example,IP:127.0.0.1');
    expired = makeCertificate('DNS:shop.example', { days: -1 });
  });

  test('is checked against the host name, or the address, of the URL', async () => {
    const trustedCertificates = certificate.authority;
    await using endpoint = await openEndpoint(ok, { tls: certificate });
    for (const [host, outcome] of [
      ['shop.example', { httpStatus: 200, responseExcerpt: 'thanks' }],
      ['SHOP.example.', { httpStatus: 200, responseExcerpt: 'thanks' }],
      ['127.0.0.1', { httpStatus: 200, responseExcerpt: 'thanks' }],
      ['other.example', { error: 'tls_failed' }],
      ['www.shop.example', { error: 'tls_failed' }],
      ['localhost', { error: 'tls_failed' }],
    ] as const) {
      const url = `https://${host}:${endpoint.port}/`;
      expect([host, await outcomeOf(attempt(url, { trustedCertificates }))]).toEqual([
        host,
        outcome,
      ]);
    }
    const ofName = makeCertificate('DNS:shop.example');
    await using named = await openEndpoint(ok, { tls: ofName });
    const options = { trustedCertificates: ofName.authority };
    const outcomes = ['shop.example', '127.0.0.1'].map((host) =>
      outcomeOf(attempt(`https://${host}:${named.port}/`, options)),
    );
    expect(await Promise.all(outcomes)).toEqual([
      { httpStatus: 200, responseExcerpt: 'thanks' },
      { error: 'tls_failed' },
    ]);
  });

  test('is asked for by the host name, and not by an address', async () => {
    const names: unknown[] = [];
    await using endpoint = await openEndpoint(
      (socket, request) => {
        names.push((socket as TLSSocket).servername);
        ok(socket, request);
      },
      { tls: certificate },
    );
    const trustedCertificates = certificate.authority;
    for (const host of ['SHOP.example', 'shop.example.', '127.0.0.1']) {
      await attempt(`https://${host}:${endpoint.port}/`, { trustedCertificates });
    }
    expect(names).toEqual(['shop.example', 'shop.example', false]);
  });

  test('must be of a trusted authority and valid now, also if the environment turns the check off', async () => {
    await using endpoint = await openEndpoint(ok, { tls: certificate });
    await using old = await openEndpoint(ok, { tls: expired });
    const url = `https://shop.example:${endpoint.port}/`;
    expect(await outcomeOf(attempt(url))).toEqual({ error: 'tls_failed' });
    expect(await attemptInProcess([url], { NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual([
      { error: 'tls_failed' },
    ]);
    using folder = makeTemporaryFolder();
    const authority = join(folder.path, 'authority.pem');
    await Bun.write(authority, certificate.authority);
    for (const name of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']) {
      const trusted = await attemptInProcess([url], { [name]: authority });
      expect([name, trusted]).toMatchObject([name, [{ httpStatus: 200 }]]);
    }
    const oldUrl = `https://shop.example:${old.port}/`;
    const options = { trustedCertificates: expired.authority };
    expect(await outcomeOf(attempt(oldUrl, options))).toEqual({ error: 'tls_failed' });
  });

  test('is checked before anything of the event is sent', async () => {
    const requests: string[] = [];
    const onRequest = (_socket: Socket, request: string) => requests.push(request);
    await using endpoint = await openEndpoint(onRequest, { tls: certificate });
    await attempt(`https://other.example:${endpoint.port}/`, {
      trustedCertificates: certificate.authority,
    });
    await endpoint.closed();
    expect([endpoint.connections, requests]).toEqual([1, []]);
  });

  test('protects a permitted address too', async () => {
    await using endpoint = await openEndpoint(ok, { tls: certificate });
    const allowed = allow(`127.0.0.1:${endpoint.port}`);
    const url = `https://shop.example:${endpoint.port}/`;
    expect(await outcomeOf(attempt(url, { allowed }))).toEqual({ error: 'tls_failed' });
  });
});
