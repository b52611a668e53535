import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { defineRead, defineWrite } from '../src/http/define-operation.ts';
import { fail } from '../src/http/failure.ts';
import { describeOperations } from '../src/http/openapi/openapi.ts';
import { openTestApp } from './support/test-app.ts';

// Behaviour that the operations of the interface do not have yet: other methods, 204, refusals and stability.

const name = z.object({ name: z.string().regex(/^[a-z]+$/) });

const makeNamed = defineWrite({
  operationId: 'createWorkspace',
  tag: { name: 'animals', description: '' },
  method: 'PUT',
  path: '/named/{name}',
  summary: 'Make something of a name',
  description: 'Makes it.',
  scope: 'pets:write',
  stability: 'experimental',
  pathParameters: name,

  requestBody: undefined,
  successes: [{ httpStatus: 204, description: 'It was made.' }],
  errors: ['conflict'],
  commandInput: ({ path, now }) => ({ name: path.name, now }),
  answer: () => ({}),
  refuse: (refusal, { path }) => fail('conflict', `${path.name}: ${refusal}`),
});

const readNamed = defineRead({
  operationId: 'readNamed',
  tag: { name: 'animals', description: '' },
  path: '/named/{name}',
  summary: 'Read something of a name',
  description: 'Reads it.',
  scope: 'pets:read',
  pathParameters: name,

  successes: [
    {
      httpStatus: 200,
      description: 'It.',
      content: { schema: z.string(), example: 'it' },
    },
  ],
  errors: [],
  handle: (_context, { path }) => ({ body: JSON.stringify(path.name) }),
});

describe('a write of any method', () => {
  test('answers 204 without a body, and 409 if it is refused', async () => {
    await using app = await openTestApp({ operations: [makeNamed] });
    const put = (key?: string) =>
      app.send('/v1/named/shop', {
        method: 'PUT',
        headers: key === undefined ? {} : { 'idempotency-key': key },
      });
    const made = await put('first');
    expect([made.status, await made.text(), made.headers.get('content-type')]).toEqual([
      204,
      '',
      null,
    ]);
    const replayed = await put('first');
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([204, 'true']);
    const refused = await put();
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { code: 'conflict', message: 'shop: name_taken', status: 409 },
    ]);
  });

  test('is in Allow and in the CORS headers for browsers', async () => {
    await using app = await openTestApp({ operations: [makeNamed, readNamed] });
    const asked = await app.send('/v1/named/shop', { method: 'OPTIONS' });
    expect(asked.headers.get('allow')).toBe('PUT, GET, HEAD, OPTIONS');
    expect(asked.headers.get('access-control-allow-methods')).toBe('PUT, GET, HEAD, OPTIONS');
    const refused = await app.send('/v1/named/shop', { method: 'PATCH' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([
      405,
      'PUT, GET, HEAD, OPTIONS',
    ]);
  });
});

describe('an operation that is not stable', () => {
  test('is marked in every answer, also in errors, with a header that browsers may read', async () => {
    await using app = await openTestApp({ operations: [makeNamed, readNamed] });
    const ask = (path: string, init: RequestInit & { apiKey?: null } = {}) =>
      app.send(path, { method: 'PUT', ...init });
    const answers = [
      await ask('/v1/named/shop'),
      await ask('/v1/named/shop'),
      await ask('/v1/named/UPPER'),
      await ask('/v1/named/shop', { apiKey: null }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([204, 409, 404, 401]);
    for (const { headers } of answers) {
      expect(headers.get('x-stability')).toBe('experimental');
      expect(headers.get('access-control-expose-headers')?.toLowerCase()).toContain('x-stability');
    }
    expect((await app.send('/v1/named/shop')).headers.get('x-stability')).toBeNull();
  });
});

test('the document describes operations of every kind', () => {
  const document = JSON.parse(describeOperations([makeNamed, readNamed]).toJson([]));
  const { put, get } = document.paths['/named/{name}'];
  expect(Object.keys(put.responses)).toEqual(
    expect.arrayContaining(['204', '401', '403', '404', '409', '422', '503']),
  );
  expect(put).toMatchObject({ 'x-stability': 'experimental' });
  expect(put.requestBody).toBeUndefined();
  expect(put.responses['204'].content).toBeUndefined();
  expect(Object.keys(put.responses['204'].headers)).toEqual(
    expect.arrayContaining(['Idempotent-Replayed', 'X-Stability']),
  );
  expect(get['x-stability']).toBeUndefined();
});
