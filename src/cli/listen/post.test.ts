import { expect, test } from 'bun:test';
import type { SignatureHeaders } from '../../webhooks/signature.ts';
import { post } from './post.ts';

const signature: SignatureHeaders = {
  'webhook-id': 'evt_1_00000000',
  'webhook-timestamp': '1795267985',
  'webhook-signature': 'v1,AAAA',
};

const running = new AbortController().signal;

/** Posts to a receiver that does with the socket what `answer` does when the request has arrived. */
async function postTo(
  answer: (socket: Bun.Socket) => unknown,
  answerMillisecondsMax?: number,
  onClose: () => void = () => {},
): Promise<object> {
  using receiver = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: (socket) => void answer(socket),
      drain() {},
      close: onClose,
    },
  });
  const url = new URL(`http://127.0.0.1:${receiver.port}/`);
  const { milliseconds, ...result } = await post(
    url,
    signature,
    '{}',
    running,
    answerMillisecondsMax,
  );
  expect(milliseconds).toBeGreaterThan(0);
  return result;
}

test('a receiver that accepts the request and does not answer has failed after the limit', async () => {
  const reason = 'no complete answer in 0.05 s';
  expect(await postTo(() => {}, 50)).toEqual({ outcome: 'broken', reason });
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n';
  expect(await postTo((socket) => socket.write(head), 50)).toEqual({ outcome: 'broken', reason });
  const openEnd = 'HTTP/1.1 200 OK\r\n\r\nsome';
  expect(await postTo((socket) => socket.write(openEnd), 50)).toEqual({
    outcome: 'broken',
    reason,
  });
});

test('a receiver that closes or resets the connection, or does not speak HTTP, has failed', async () => {
  expect(await postTo((socket) => socket.end())).toMatchObject({ outcome: 'broken' });
  expect(await postTo((socket) => socket.terminate())).toMatchObject({ outcome: 'broken' });
  expect(await postTo((socket) => socket.end('hello\r\n\r\n'))).toMatchObject({
    outcome: 'broken',
  });
});

test('a receiver that switches to another protocol has failed at once, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const head =
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
  const result = postTo((socket) => socket.write(head), 5000, closed.resolve);
  expect(await result).toEqual({ outcome: 'answered', httpStatus: 101, excerpt: '' });
  await closed.promise;
  const short = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';
  expect(await postTo((socket) => socket.write(short), 5000)).toMatchObject({ httpStatus: 101 });
});

test('of an answer without an end, only the beginning is read', async () => {
  const result = await postTo((socket) => {
    const send = () => {
      // A closed connection accepts nothing.
      if (socket.write('x'.repeat(10_000)) >= 0) setImmediate(send);
    };
    socket.write('HTTP/1.1 500 Oops\r\n\r\n');
    send();
  });
  expect(result).toEqual({ outcome: 'answered', httpStatus: 500, excerpt: 'x'.repeat(1024) });
});

test('a refused connection and an unknown host are unreachable, and a receiver without TLS has failed', async () => {
  using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('') });
  const send = (url: string) => post(new URL(url), signature, '{}', running);
  expect(await send(`http://127.0.0.1:${server.port}/`)).toMatchObject({ httpStatus: 200 });
  expect(await send(`https://127.0.0.1:${server.port}/`)).toMatchObject({ outcome: 'broken' });
  expect(await send('http://nothing.invalid/')).toMatchObject({ outcome: 'unreachable' });
  await server.stop(true);
  expect(await send(`http://127.0.0.1:${server.port}/`)).toMatchObject({
    outcome: 'unreachable',
    reason: expect.stringContaining('ECONNREFUSED'),
  });
});

test('a receiver at an IPv6 address is reached', async () => {
  using server = Bun.serve({ port: 0, hostname: '::1', fetch: () => new Response('') });
  const url = new URL(`http://[::1]:${server.port}/`);
  expect(await post(url, signature, '{}', running)).toMatchObject({ httpStatus: 200 });
});
