import { describe, expect, test } from 'bun:test';
import { openTestApp } from './support/test-app.ts';

describe('a rate limit', () => {
  const limit = { count: 3, seconds: 60 };

  test('is off by default', async () => {
    await using app = await openTestApp();
    const response = await app.send('/v1/pets');
    expect(response.headers.get('ratelimit')).toBeNull();
    expect(response.headers.get('ratelimit-policy')).toBeNull();
  });

  test('allows a burst, answers with the remaining count, and refuses the next request with Retry-After', async () => {
    await using app = await openTestApp({ rateLimit: limit });
    const seen = [];
    for (let count = 0; count < 4; count += 1) {
      const { status, headers } = await app.send('/v1/pets');
      seen.push([status, headers.get('ratelimit'), headers.get('retry-after')]);
      expect(headers.get('ratelimit-policy')).toBe('"default";q=3;w=60');
    }
    expect(seen).toEqual([
      [200, '"default";r=2;t=40', null],
      [200, '"default";r=1;t=20', null],
      [200, '"default";r=0;t=20', null],
      [429, '"default";r=0;t=20', '20'],
    ]);
  });

  test('refuses in the Error shape, after authentication and scope', async () => {
    await using app = await openTestApp({ rateLimit: { count: 1, seconds: 60 } });
    await app.send('/v1/pets');
    const refused = await app.send('/v1/pets');
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(await refused.json()).toEqual({
      code: 'rate_limited',
      message: 'This key may send 1 requests in 60 seconds; retry after 60 s',
      status: 429,
    });
    expect((await app.send('/v1/pets', { apiKey: null })).status).toBe(401);
  });

  test('restores the used requests evenly', async () => {
    await using app = await openTestApp({ rateLimit: limit });
    for (let count = 0; count < 3; count += 1) await app.send('/v1/pets');
    app.now += 19_999;
    expect((await app.send('/v1/pets')).status).toBe(429);
    app.now += 1;
    expect((await app.send('/v1/pets')).status).toBe(200);
    expect((await app.send('/v1/pets')).status).toBe(429);
    app.now += 3_600_000;
    expect((await app.send('/v1/pets')).headers.get('ratelimit')).toBe('"default";r=2;t=40');
  });

  test('counts each key separately, and applies the limit of a key to that key', async () => {
    await using app = await openTestApp({ rateLimit: { count: 1, seconds: 60 } });
    const { text } = await app.createKey({ rateLimit: { count: 2, seconds: 1 } });
    expect((await app.send('/v1/pets')).status).toBe(200);
    expect((await app.send('/v1/pets')).status).toBe(429);
    const own = await app.send('/v1/pets', { apiKey: text });
    expect(own.headers.get('ratelimit-policy')).toBe('"default";q=2;w=1');
    expect((await app.send('/v1/pets', { apiKey: text })).status).toBe(200);
    expect((await app.send('/v1/pets', { apiKey: text })).status).toBe(429);
  });

  test('does not count requests with an invalid key', async () => {
    await using app = await openTestApp({ rateLimit: { count: 1, seconds: 60 } });
    for (let count = 0; count < 5; count += 1) {
      expect((await app.send('/v1/pets', { apiKey: 'wrong' })).status).toBe(401);
    }
    expect((await app.send('/v1/pets')).status).toBe(200);
  });
});
