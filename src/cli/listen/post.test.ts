import { expect, test } from 'bun:test';
import { post, reasonOf } from './post.ts';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

async function send(url: string) {
  const event = { id: 'evt_1_00000000', text: '{}' };
  const result = await post(new URL(url), secret, event, new AbortController().signal);
  expect(result.milliseconds).toBeGreaterThan(0);
  return { ...result.outcome, wasConnected: result.wasConnected, reason: reasonOf(result) };
}

test('a receiver at a name, an IPv4 or an IPv6 address is reached', async () => {
  using server = Bun.serve({ port: 0, hostname: '::', fetch: () => new Response('') });
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    const result = await send(`http://${host}:${server.port}/`);
    expect(result).toMatchObject({ httpStatus: 200, wasConnected: true });
  }
});

test('a refused connection and an unknown host are no connection, and a receiver without TLS has failed', async () => {
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') });
  const withoutTls = await send(`https://127.0.0.1:${server.port}/`);
  expect(withoutTls).toMatchObject({ error: 'tls_failed', wasConnected: true });
  expect(await send('http://nothing.invalid/')).toMatchObject({ wasConnected: false });
  await server.stop(true);
  expect(await send(`http://127.0.0.1:${server.port}/`)).toMatchObject({
    wasConnected: false,
    reason: expect.stringContaining('ECONNREFUSED'),
  });
});

test.each([
  ['closes the connection', (socket: Bun.Socket) => void socket.end(), /hang up/],
  ['does not speak HTTP', (socket: Bun.Socket) => void socket.end('hello\r\n\r\n'), /not HTTP/],
])('a receiver that %s has failed, and the reason says so', async (_, answer, reason) => {
  using receiver = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: answer },
  });
  const result = await send(`http://127.0.0.1:${receiver.port}/`);
  expect(result).toMatchObject({ wasConnected: true, reason: expect.stringMatching(reason) });
  expect(result).not.toHaveProperty('httpStatus');
});
