import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { digestApiKey } from '../src/http/access/authenticate.ts';
import { newApiKey } from '../src/http/access/new-api-key.ts';
import { addPets, addWorkspace, equalPets } from './support/catalogue.ts';
import { rotateKey } from './support/new-key.ts';
import { expectServing } from './support/raw-http.ts';
import { openTestServer, type TestServer } from './support/test-server.ts';

/** An invalid key of each kind, with its scheme. */
async function makeBadKeys({ app }: TestServer): Promise<Record<string, string>> {
  const { apiKey, database } = app;
  const { text: revoked, id: revokedId } = await app.createKey();
  await database.write(background, 'revokeApiKey', { id: revokedId, now: app.now });
  const { text: rotated, id: rotatedId } = await app.createKey();
  await rotateKey(database, { id: rotatedId, overlapMilliseconds: 0, now: app.now });
  const orphaned = await addWorkspace(app, 'doomed');
  const { id = 0n } = (await database.findWorkspace(background, 'doomed')) ?? {};
  await database.write(background, 'deleteWorkspaceStep', { id, rowsMax: 100, now: 1 });
  const staging = (await app.createKey({ environment: 'staging' })).text;
  return {
    'well made and unknown': `Bearer ${newApiKey('production').text}`,
    expired: `Bearer ${(await app.createKey({ expiresAt: app.now })).text}`,
    revoked: `Bearer ${revoked}`,
    'rotated, its overlap over': `Bearer ${rotated}`,
    'of a deleted workspace': `Bearer ${orphaned}`,
    'of the other environment': `Bearer ${staging}`,
    'of the other environment, and unknown': `Bearer ${newApiKey('staging').text}`,
    'with a wrong checksum': `Bearer ${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`,
    'cut short': `Bearer ${apiKey.slice(0, -1)}`,
    'a character too long': `Bearer ${apiKey}0`,
    'of its prefix alone': 'Bearer anst_live_',
    'of one letter': 'Bearer x',
    'in lower case': `Bearer ${apiKey.toLowerCase()}`,
    'with padding': `Bearer ${apiKey}==`,
    'of 600 letters': `Bearer ${'a'.repeat(600)}`,
    'of 8000 letters': `Bearer ${'a'.repeat(8000)}`,
    'that is the stored digest': `Bearer ${digestApiKey(apiKey)}`,
    'that is not ASCII': 'Bearer cl\u00e9',
    'with a space': `Bearer ${apiKey} x`,
    'in quotes': `Bearer "${apiKey}"`,
    'like the operator\u2019s': 'Bearer operator-key-0000000001',
    'sent twice': `Bearer ${apiKey}\r\nAuthorization: Bearer ${apiKey}`,
    'after a comma': `Bearer x, Bearer ${apiKey}`,
  };
}

/** Texts without a bearer token. */
const otherSchemes = {
  nothing: '',
  'Basic with a password': 'Basic YTpi',
  Digest: 'Digest username="a"',
  'Bearer alone': 'Bearer',
  'a scheme that starts as Bearer': 'Bearers x',
  'Token as others have it': 'Token x',
};

const json = 'Content-Type: application/json\r\n';

/** Valid and invalid requests: without a valid key, none of their properties may change the answer. */
const requests: Record<string, string> = {
  'GET /v1/pets': '\r\n',
  'GET /v1/pets?limit=0&id=x': '\r\n',
  'HEAD /v1/pets': '\r\n',
  'GET /v1/pets/1': '\r\n',
  'GET /v1/pets/404': 'Prefer: =\r\n\r\n',
  'GET /v1/pets/x': 'If-None-Match: *\r\n\r\n',
  'POST /v1/pets': `${json}Content-Length: 29\r\n\r\n{"name":"Rex","categoryId":1}`,
  'POST /v1/pets?': `${json}Content-Length: 4\r\nIdempotency-Key: a b\r\n\r\nnull`,
  'POST /v1/pets?x': 'Content-Type: text/plain\r\nContent-Length: 99999\r\n\r\n',
};

describe('the same bytes answer every invalid key, for', () => {
  test.each(Object.entries(requests))('%s', async (line, rest) => {
    await using server = await openTestServer();
    await addPets(server.app, equalPets(1));
    const answerTo = async (authorization: string) => {
      const field = authorization === '' ? '' : `Authorization: ${authorization}\r\n`;
      const head = `${line} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${field}`;
      const answer = await server.exchange(head + rest);
      return answer.replace(/^Date: .*\r\n/m, '');
    };

    const badKeys = await makeBadKeys(server);
    const { 'well made and unknown': unknown = '', ...others } = badKeys;
    const refused = await answerTo(unknown);
    expect(refused).toStartWith('HTTP/1.1 401 Unauthorized\r\n');
    expect(refused).toContain('error="invalid_token"');
    // Twice, because the first lookup may be cached.
    for (let time = 0; time < 2; time += 1) {
      for (const [kind, key] of Object.entries(others)) {
        expect(`${kind}: ${await answerTo(key)}`).toBe(`${kind}: ${refused}`);
      }
    }

    const missing = await answerTo('');
    expect(missing).toStartWith('HTTP/1.1 401 Unauthorized\r\n');
    expect(missing).not.toContain('error=');
    for (const [kind, value] of Object.entries(otherSchemes)) {
      expect(`${kind}: ${await answerTo(value)}`).toBe(`${kind}: ${missing}`);
    }
    await expectServing(server);
  });
});
