import { describe, expect, test } from 'bun:test';
import { readIds, readPet, readPets } from './support/answers.ts';
import { addPets, equalPets } from './support/catalogue.ts';
import { chosenEngine } from './support/engines.ts';
import { ask, expectServing, postHeaders, readAnswers, request } from './support/raw-http.ts';
import { openTestServer } from './support/test-server.ts';

const rex = '{"name":"Rex","categoryId":1}';

describe('a connection', () => {
  // RFC 9110, section 10.1.1, ignores case. Bun does not yet (docs/errors.md).
  test.each([
    ['100-continue', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 '],
    ['100-Continue', 'HTTP/1.1 201 '],
  ])('with Expect: %s', async (expectation, begin) => {
    await using server = await openTestServer();
    const headers = postHeaders(`Content-Length: ${rex.length}`, `Expect: ${expectation}`);
    const head = request(server, 'POST /v1/pets HTTP/1.1', headers);
    expect(await server.exchange(head, rex)).toStartWith(begin);
  });

  // SQLite answers at once. The answers of PostgreSQL arrive later, as in the test below.
  test('answers pipelined reads in order, and on SQLite all of them', async () => {
    await using server = await openTestServer();
    await addPets(server.app, equalPets(9));
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

  // The server closes a connection if a request arrives before the answer to the previous one
  // is ready (https://github.com/oven-sh/bun/pull/38128). HTTP allows it.
  test('with pipelined writes gets no answer out of order', async () => {
    await using server = await openTestServer();
    const last = request(server, 'POST /v1/pets HTTP/1.1', postHeaders('Content-Length: 29'), rex);
    const other = last.replace('Connection: close', 'Connection: keep-alive');
    const answers = readAnswers(await server.exchange(other + other + last));
    const ids = await Promise.all(answers.map(async (answer) => (await readPet(answer, 201)).id));
    expect(ids).toEqual([1n, 2n, 3n].slice(0, ids.length));
    await expectServing(server);
  });

  test('gets a page of any size completely', async () => {
    await using server = await openTestServer();
    const name = '\u{1f431}'.repeat(255);
    await addPets(server.app, equalPets(100, { name, categoryId: -(2n ** 63n) }));
    const answer = await ask(server, request(server, 'GET /v1/pets?limit=100 HTTP/1.1'));
    const pets = await readPets(answer);
    expect(pets).toHaveLength(100);
    expect(pets.every((pet) => pet.name === name && pet.categoryId === -(2n ** 63n))).toBe(true);
  });
});
