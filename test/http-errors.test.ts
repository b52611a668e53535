import { describe, expect, test } from 'bun:test';
import type { ErrorCode } from '../src/http/failure.ts';
import { expectError } from './support/answers.ts';
import { operatorKeyOf } from './support/new-key.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

/** Refused requests store nothing, so one app serves all tests about them. */
const opening = openSharedApp();

const rex = { name: 'Rex', categoryId: 1 };
const json = { 'content-type': 'application/json' };
const tooLong = ' '.repeat(65537);

async function readOnlyKey({ createKey }: TestApp): Promise<string> {
  return (await createKey({ scopes: ['pets:read'] })).text;
}

describe('an error is exactly code, message and status, and no cache stores it:', () => {
  const strict = { prefer: 'handling=strict' };
  test.each<[ErrorCode, (app: TestApp) => Promise<Response>]>([
    ['invalid_json', ({ post }) => post('{')],
    ['invalid_body', ({ post }) => post({})],
    ['invalid_parameter', ({ send }) => send('/v1/pets?limit=0')],
    ['invalid_cursor', ({ send }) => send('/v1/pets?cursor=x')],
    ['invalid_header', ({ send }) => send('/v1/pets', { headers: { prefer: '=' } })],
    ['unknown_field', ({ send }) => send('/v1/pets?color=red', { headers: strict })],
    ['missing_api_key', ({ send }) => send('/v1/pets', { apiKey: null })],
    ['invalid_api_key', ({ send }) => send('/v1/pets', { apiKey: 'x' })],
    [
      'insufficient_scope',
      async (app) => app.post(rex, { authorization: `Bearer ${await readOnlyKey(app)}` }),
    ],
    ['not_found', ({ send }) => send('/v1/pets/1')],
    ['route_not_found', ({ send }) => send('/v1/store')],
    ['method_not_allowed', ({ send }) => send('/v1/pets', { method: 'DELETE' })],
    ['content_too_large', ({ post }) => post(tooLong)],
    ['unsupported_media_type', ({ post }) => post(rex, { 'content-type': 'text/plain' })],
  ])('%s', async (code, request) => {
    await expectError(await request(await opening), code);
  });

  test('internal_error, with its cause in the log and not in the answer', async () => {
    const note = () => {
      throw new Error('The database was closed at app.ts:1');
    };
    await using app = await openTestApp({
      uses: {
        note,
        noteDeprecatedCall: note,
        noteSessionActivity: note,
        flush: async () => {},
      },
    });
    const message = await expectError(await app.send('/v1/pets'), 'internal_error');
    expect(message).not.toMatch(/database|sqlite|closed|\.ts|\bat /i);
    expect(app.failures).toEqual([expect.any(Error)]);
  });

  test('unavailable, with the seconds until a retry', async () => {
    // A cached key needs no lookup, so the request reaches the writer of a closing database.
    const apiKey = 'operator.chosen/key-0001';
    await using app = await openTestApp({ operatorApiKey: operatorKeyOf(apiKey) });
    await app.database[Symbol.asyncDispose]();
    const response = await app.post(rex, { authorization: `Bearer ${apiKey}` });
    expect(response.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
    await expectError(response, 'unavailable');
  });
});

describe('of several faults the first in this order is answered:', () => {
  interface Sent {
    path?: string;
    method?: string;
    apiKey?: string | null;
    contentType?: string;
    body?: string;
  }
  const faults: [ErrorCode, Sent][] = [
    ['route_not_found', { path: '/v1/nothing' }],
    ['method_not_allowed', { method: 'PUT' }],
    ['missing_api_key', { apiKey: null }],
    ['invalid_api_key', { apiKey: 'x' }],
    ['insufficient_scope', { apiKey: 'read-only' }],
    ['unsupported_media_type', { contentType: 'text/plain' }],
    ['content_too_large', { body: tooLong }],
    ['invalid_json', { body: '{"name":' }],
    ['invalid_body', { body: '{"name":"Rex"}' }],
  ];

  test.each(faults.map(([code], index) => [code, index] as const))('%s', async (code, index) => {
    const app = await opening;
    const all = faults.slice(index).map(([, fault]) => fault);
    const sent: Sent = Object.assign({}, ...all.reverse());
    const { path = '/v1/pets', method = 'POST', contentType = json['content-type'], body } = sent;
    const key = sent.apiKey === 'read-only' ? await readOnlyKey(app) : sent.apiKey;
    const response = await app.send(path, {
      method,
      headers: { 'content-type': contentType },
      body: body ?? JSON.stringify(rex),
      ...(key === undefined ? {} : { apiKey: key }),
    });
    await expectError(response, code);
  });
});

describe('a path is matched exactly:', () => {
  test.each([
    '/v1/pets/',
    '//v1/pets',
    '/V1/pets',
    '/v1/pets;x=1',
    '/v1/%70ets',
    '/v1/pets//1',
    '/v1/pets/1/owner',
    '/v1',
    '/v2/pets',
    '/__proto__',
  ])('%s answers 404 route_not_found, with or without a key', async (path) => {
    const { send } = await opening;
    expect(await expectError(await send(path), 'route_not_found')).toContain(path);
    await expectError(await send(path, { apiKey: null }), 'route_not_found');
  });
});

describe('a method that a path lacks answers 405 and lists the methods of the path in Allow:', () => {
  const ofList = 'GET, HEAD, POST, OPTIONS';
  const ofOne = 'GET, HEAD, PATCH, DELETE, OPTIONS';
  const ofPage = 'GET, HEAD, OPTIONS';
  test.each([
    ['PUT', '/v1/pets', ofList],
    ['TRACE', '/v1/pets', ofList],
    ['PUT', '/v1/pets/x', ofOne],
    ['POST', '/livez', ofPage],
  ])('%s %s', async (method, path, allow) => {
    const { send } = await opening;
    const response = await send(path, { method, apiKey: null });
    expect(response.headers.get('allow')).toBe(allow);
    expect(await expectError(response, 'method_not_allowed')).toContain(allow);
  });
});
