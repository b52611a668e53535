import { afterAll, describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { openTestApp } from '../../../test/support/test-app.ts';
import { answerFile } from './answer-file.ts';

const opening = openTestApp();
afterAll(async () => (await opening)[Symbol.asyncDispose]());

const paths = [
  '/',
  '/icon.svg',
  '/openapi.json',
  '/openapi.yaml',
  '/docs',
  '/docs/host.js',
  '/docs/favicon.png',
  '/docs/swagger-ui-bundle.js',
  '/console/start.js',
];

describe.each(paths)('%s', (path) => {
  const get = async (headers: Record<string, string>) =>
    (await opening).send(path, { apiKey: null, headers });

  test.each(['gzip', 'br', 'identity'])(
    'is sent again with %s only if it has changed',
    async (coding) => {
      const headers = { 'accept-encoding': coding };
      const first = await get(headers);
      const etag = first.headers.get('etag') ?? '';
      expect([first.status, etag]).toEqual([200, expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
      expect(first.headers.get('cache-control')).toBe('no-cache');
      expect(first.headers.get('vary')).toContain('Accept-Encoding');
      const again = await get({ ...headers, 'if-none-match': etag });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([
        304,
        etag,
        '',
      ]);
      expect(again.headers.get('content-type')).toBeNull();
      const other = await get({ ...headers, 'if-none-match': `"x", ${etag}, "y"` });
      expect(other.status).toBe(304);
      expect((await get({ ...headers, 'if-none-match': '"x"' })).status).toBe(200);
    },
  );

  test.each([
    ['gzip', 'gzip', gunzipSync],
    ['*', 'gzip', gunzipSync],
    ['gzip, br', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
  ])(
    'is compressed for %s if it is long, and its tags identify the sent bytes',
    async (accepted, coding, unpack) => {
      const plain = await get({});
      const bytes = await plain.bytes();
      const zipped = await get({ 'accept-encoding': accepted });
      const isZipped = zipped.headers.get('content-encoding') === coding;
      expect(isZipped).toBe(bytes.length >= 1024);
      expect(plain.headers.get('etag') === zipped.headers.get('etag')).toBe(!isZipped);
      const sent = new Uint8Array(await zipped.arrayBuffer());
      expect(Buffer.compare(isZipped ? unpack(sent) : sent, bytes)).toBe(0);
    },
  );
});

test('a file obeys If-Match', async () => {
  const app = await opening;
  const ask = (match: string) => app.send('/openapi.json', { headers: { 'if-match': match } });
  expect((await ask('"other"')).status).toBe(412);
  expect((await ask('*')).status).toBe(200);
});

test('a file is read once for many first requests, and again after a failure', async () => {
  let readCount = 0;
  const respond = answerFile({ 'content-type': 'text/plain' }, async () => {
    readCount += 1;
    if (readCount === 1) throw new Error('cannot be read');
    return 'a'.repeat(2000);
  });
  const request = new Request('http://shop.test/', { headers: { 'accept-encoding': 'br' } });
  await expect(respond({ request })).rejects.toThrow('cannot be read');
  const answers = await Promise.all(Array.from({ length: 20 }, () => respond({ request })));
  expect([
    readCount,
    new Set(answers.map((answer) => 'body' in answer && answer.body)).size,
  ]).toEqual([2, 1]);
});
