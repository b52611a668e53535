import { describe, expect, test } from 'bun:test';
import { expectError } from './support/answers.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

/** Refused requests store nothing, so one app serves all tests about them. */
const opening = openSharedApp();

const rex = { name: 'Rex', categoryId: 1 };

describe('a message', () => {
  test('lists every fault of a body, in the order of the schema', async () => {
    const { post } = await opening;
    const message = await expectError(
      await post('{"status":"lost","categoryId":"1","name":5}'),
      'invalid_body',
    );
    const faults = message.split('; ');
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(['name', 'categoryId', 'status']);
    expect(faults[0]).toEndWith(', got 5');
    expect(faults[1]).toEndWith(', got "1"');
    expect(faults[2]).toBe('status must be one of available, pending, sold, got "lost"');
    const empty = await expectError(await post({}), 'invalid_body');
    expect(empty).toBe('name is required; categoryId is required');
  });

  test('lists every fault of the parameters', async () => {
    const { send } = await opening;
    const path = '/v1/pets?limit=0&status=lost&id=x';
    const message = await expectError(await send(path), 'invalid_parameter');
    expect(message).toContain('limit must be an integer from 1 to 100, got "0"');
    expect(message).toContain('status must be one of available, pending, sold, got "lost"');
    expect(message).toContain('got "x"');
  });

  test('lists at most 10 faults', async () => {
    const { send, post } = await opening;
    const query = Array.from({ length: 12 }, (_, index) => `id=x${index}`).join('&');
    const ofQuery = await expectError(await send(`/v1/pets?${query}`), 'invalid_parameter');
    expect(ofQuery.split('; ')).toHaveLength(10);
    const members = Array.from({ length: 12 }, (_, index) => [`x${index}`, index]);
    const body = { ...rex, ...Object.fromEntries(members) };
    const ofBody = await expectError(
      await post(body, { prefer: 'handling=strict' }),
      'unknown_field',
    );
    expect(ofBody.split('; ')).toHaveLength(10);
  });

  test.each([
    ['letters', 'x'.repeat(10_000)],
    ['emoji', '\u{1f431}'.repeat(10_000)],
    ['characters that are escaped', '\u0000'.repeat(10_000)],
    ['lone surrogates', '\ud800'.repeat(10_000)],
  ])('echoes 64 characters of a value, and an ellipsis: %s', async (_name, status) => {
    const { post } = await opening;
    const message = await expectError(await post({ ...rex, status }), 'invalid_body');
    const echoed = message.slice(message.indexOf('got ') + 'got '.length);
    expect([...echoed]).toHaveLength(65);
    expect(echoed).toEndWith('…');
    expect(message.isWellFormed()).toBe(true);
  });

  test.each([
    ['a body', ({ post }: TestApp, text: string) => post({ ...rex, status: text })],
    [
      'a query',
      ({ send }: TestApp, text: string) => send(`/v1/pets?status=${encodeURIComponent(text)}`),
    ],
  ])('escapes control characters and line separators of %s', async (_name, request) => {
    const text = '\u0000\t\r\n\u001b[31m"\\\u007f\u0085\u2028\u2029';
    const response = await request(await opening, text);
    const { message } = JSON.parse(await response.text());
    expect(message).toEndWith(String.raw`"\u0000\t\r\n\u001b[31m\"\\\u007f\u0085\u2028\u2029"`);
    expect(message).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  });

  test('names the precondition that a record does not match', async () => {
    await using app = await openTestApp();
    await app.post(rex);
    const remove = (header: string, value: string) =>
      app.send('/v1/pets/1', { method: 'DELETE', headers: { [header]: value } });
    expect([
      await expectError(await remove('if-match', '"old"'), 'precondition_failed'),
      await expectError(await remove('if-none-match', '*'), 'precondition_failed'),
    ]).toEqual([
      'The animal has changed since this ETag (a weak ETag never matches). Read it again, then retry.',
      'The animal has an ETag that If-None-Match excludes. Read it again, then retry.',
    ]);
  });

  test('names the kind of a value that it cannot echo', async () => {
    const { post } = await opening;
    const message = await expectError(
      await post({ name: null, categoryId: ['1'], status: { a: 1 } }),
      'invalid_body',
    );
    const found = message.split('; ').map((fault) => fault.replace(/.*, got /, ''));
    expect(found).toEqual(['null', 'an array', 'an object']);
  });

  test.each<[string, (app: TestApp) => Promise<Response>]>([
    ['a path', ({ send, apiKey }) => send(`/v1/${apiKey}`)],
    ['a parameter', ({ send, apiKey }) => send(`/v1/pets?status=${apiKey}`)],
    ['a member', ({ post, apiKey }) => post({ ...rex, status: apiKey })],
    [
      'the name of a member',
      ({ post, apiKey }) => post({ ...rex, [apiKey]: 1 }, { prefer: 'handling=strict' }),
    ],
    ['a key that does not open', ({ send, apiKey }) => send('/v1/pets', { apiKey: `${apiKey}0` })],
  ])('does not echo an API key that was sent as %s', async (_name, request) => {
    const app = await opening;
    const response = await request(app);
    expect(response.ok).toBe(false);
    expect(await response.text()).not.toContain(app.apiKey.slice('anst_live_'.length, -6));
  });
});
