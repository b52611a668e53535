import { describe, expect, test } from 'bun:test';
import { readIds, readPet, readPets } from './support/answers.ts';
import { addPets, alike } from './support/catalogue.ts';
import { chosenEngine } from './support/engines.ts';
import { ask, expectServing, postHeaders, readAnswers, request } from './support/raw-http.ts';
import { openTestServer } from './support/test-server.ts';

const rex = '{"name":"Rex","categoryId":1}';

describe('a connection', () => {
  test('that is cut at any byte of a request gets the same answer', async () => {
    await using server = await openTestServer();
    await addPets(server.app, alike(1));
    const text = request(server, 'GET /v1/pets?limit=1 HTTP/1.1');
    const whole = withoutItsOwn(await server.exchange(text));
    for (let index = 1; index < text.length; index += 1) {
      const cut = await server.exchange(text.slice(0, index), text.slice(index));
      expect(withoutItsOwn(cut)).toBe(whole);
    }
    await expectServing(server);
  });

  test('that is cut at any byte of a body adds the animal as it was sent', async () => {
    await using server = await openTestServer();
    const headers = postHeaders(`Content-Length: ${rex.length}`);
    const head = request(server, 'POST /v1/pets HTTP/1.1', headers);
    for (let index = 0; index <= rex.length; index += 1) {
      const answer = await ask(server, head, rex.slice(0, index), rex.slice(index));
      expect(await readPet(answer, 201)).toMatchObject({ name: 'Rex', id: BigInt(index + 1) });
    }
  });

  test('that gets one byte at a time answers as any other', async () => {
    await using server = await openTestServer();
    const headers = postHeaders(`Content-Length: ${rex.length}`);
    const text = request(server, 'POST /v1/pets HTTP/1.1', headers, rex);
    expect((await readPet(await ask(server, ...text), 201)).name).toBe('Rex');
  });

  // SQLite has the answer at hand; PostgreSQL must be waited for, and then see below.
  test('on which reads are sent ahead gets answers in order, on SQLite all of them', async () => {
    await using server = await openTestServer();
    await addPets(server.app, alike(9));
    const last = request(server, 'GET /v1/pets?id=9 HTTP/1.1');
    const others = Array.from({ length: 8 }, (_, index) =>
      last
        .replace('id=9', `id=${index + 1}`)
        .replace('Connection: close', 'Connection: keep-alive'),
    );
    const answers = readAnswers(await server.exchange([...others, last].join('')));
    const ids = await Promise.all(answers.map(readIds));
    const all = [[1], [2], [3], [4], [5], [6], [7], [8], [9]];
    expect(ids).toEqual(chosenEngine === 'sqlite' ? all : all.slice(0, ids.length));
    await expectServing(server);
  });

  // The server closes a connection on which a request comes before the answer to the one before it
  // is ready (https://github.com/oven-sh/bun/pull/38128), and HTTP lets it.
  test('on which writes are sent ahead gets no answer but the one that is next in order', async () => {
    await using server = await openTestServer();
    const last = request(server, 'POST /v1/pets HTTP/1.1', postHeaders('Content-Length: 29'), rex);
    const other = last.replace('Connection: close', 'Connection: keep-alive');
    const answers = readAnswers(await server.exchange(other + other + last));
    const ids = await Promise.all(answers.map(async (answer) => (await readPet(answer, 201)).id));
    expect(ids).toEqual([1n, 2n, 3n].slice(0, ids.length));
    await expectServing(server);
  });

  test('carries a page of any size whole', async () => {
    await using server = await openTestServer();
    const name = '\u{1f431}'.repeat(255);
    await addPets(server.app, alike(100, { name, categoryId: -(2n ** 63n) }));
    const answer = await ask(server, request(server, 'GET /v1/pets?limit=100 HTTP/1.1'));
    const pets = await readPets(answer);
    expect(pets).toHaveLength(100);
    expect(pets.every((pet) => pet.name === name && pet.categoryId === -(2n ** 63n))).toBe(true);
  });

  function withoutItsOwn(received: string): string {
    return received.replaceAll(/^(?:Date|X-Request-Id):.*\r\n/gim, '');
  }
});

describe('what is not HTTP is refused before the service sees it, and harms nobody:', () => {
  test.each([
    ['words', 'hello\r\n\r\n', 400],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n', 400],
    ['HTTP/1.1 without a Host', 'GET /v1/pets HTTP/1.1\r\n\r\n', 400],
    [
      'a length that is no number',
      'POST /v1/pets HTTP/1.1\r\nHost: h\r\nContent-Length: x\r\n\r\n',
      400,
    ],
    ['a negative length', 'POST /v1/pets HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n', 400],
    [
      'a length and chunks',
      'POST /v1/pets HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'a folded header',
      'GET /v1/pets HTTP/1.1\r\nHost: h\r\nAuthorization:\r\n Bearer x\r\n\r\n',
      400,
    ],
    [
      'a header of 40 000 bytes',
      `GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
      431,
    ],
    ['HTTP/2 in plain text', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ])('%s', async (_name, text, httpStatus) => {
    await using server = await openTestServer();
    expect(await server.exchange(text)).toStartWith(`HTTP/1.1 ${httpStatus} `);
    await expectServing(server);
  });
});
