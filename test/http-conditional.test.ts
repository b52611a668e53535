import { describe, expect, test } from 'bun:test';
import { addPets, equalPets } from './support/catalogue.ts';
import { openTestApp } from './support/test-app.ts';

describe('GET /v1/pets', () => {
  test('has the same ETag until an animal is added', async () => {
    await using app = await openTestApp();
    await app.post({ name: 'Fluffy', categoryId: 7 });
    const first = (await app.send('/v1/pets')).headers.get('etag');
    expect(first).toMatch(/^W\/"[0-9a-z]+"$/);
    expect((await app.send('/v1/pets')).headers.get('etag')).toBe(first);
    await app.post({ name: 'Rex', categoryId: 7 });
    expect((await app.send('/v1/pets')).headers.get('etag')).not.toBe(first);
  });

  test('has another ETag when the same page gets a successor', async () => {
    await using app = await openTestApp();
    await addPets(app, equalPets(1));
    const alone = await app.send('/v1/pets?limit=1&status=available');
    await app.post({ name: 'Sold', categoryId: 1, status: 'sold' });
    const same = await app.send('/v1/pets?limit=1&status=available');
    expect(same.headers.get('etag')).toBe(alone.headers.get('etag'));
    await addPets(app, equalPets(1));
    const next = await app.send('/v1/pets?limit=1&status=available');
    expect(next.headers.get('etag')).not.toBe(alone.headers.get('etag'));
  });

  test('obeys If-Match, which a weak tag never meets', async () => {
    await using app = await openTestApp();
    await addPets(app, equalPets(3));
    const ask = (path: string, match: string, more: Record<string, string> = {}) =>
      app.send(path, { headers: { 'if-match': match, ...more } });
    const tag = (await app.send('/v1/pets/1')).headers.get('etag') ?? '';
    const weak = (await app.send('/v1/pets')).headers.get('etag') ?? '';
    const strong = weak.replace(/^W./, '');
    for (const [path, match, httpStatus] of [
      ['/v1/pets/1', tag, 200],
      ['/v1/pets/1', `"other", ${tag}`, 200],
      ['/v1/pets/1', '*', 200],
      ['/v1/pets/1', '"other"', 412],
      ['/v1/pets/1', '""', 412],
      ['/v1/pets/1', `W/${tag}`, 412],
      ['/v1/pets/1', 'other', 400],
      ['/v1/pets', '*', 200],
      ['/v1/pets', weak, 412],
      ['/v1/pets', strong, 412],
      ['/v1/pets', '""', 412],
      ['/v1/pets', 'other', 400],
      ['/v1/pets/9', '"other"', 404],
      ['/v1/events', '*', 200],
      ['/v1/events', '"other"', 412],
      ['/v1/events?after=now&wait=30', '"other"', 412],
      ['/v1/events?after=999', '"other"', 410],
      ['/v1/events/stream', '"other"', 412],
    ] as const) {
      // The second one is from the cache.
      for (const _time of [1, 2]) {
        const response = await ask(path, match);
        expect([path, match, response.status]).toEqual([path, match, httpStatus]);
      }
    }
    expect((await ask('/v1/pets/1', '"other"', { 'if-none-match': tag })).status).toBe(412);
    expect((await ask('/v1/pets/1', tag, { 'if-none-match': tag })).status).toBe(304);
  });

  test.each([
    ['the tag alone', (etag: string) => etag, 304],
    ['the strong form of the tag', (etag: string) => etag.replace(/^W\//, ''), 304],
    ['the tag in a list', (etag: string) => `"a", ${etag} , W/"b"`, 304],
    ['anything', () => '*', 304],
    ['another tag', () => 'W/"other"', 200],
    ['a text that is not a tag', () => 'other', 200],
  ])('answers If-None-Match with %s', async (_title, makeHeader, httpStatus) => {
    await using app = await openTestApp();
    await addPets(app, equalPets(3));
    for (const path of ['/v1/pets?limit=2', '/v1/pets/1']) {
      const whole = await app.send(path);
      const header = makeHeader(whole.headers.get('etag') ?? '');
      const response = await app.send(path, { headers: { 'if-none-match': header } });
      expect(response.status).toBe(httpStatus);
      expect(await response.text()).toBe(httpStatus === 304 ? '' : await whole.text());
      for (const name of ['etag', 'cache-control', 'vary', 'link', 'deprecation', 'sunset']) {
        expect([name, response.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
      }
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('x-request-id')).toMatch(/^test-/);
    }
  });

  test('varies with Accept-Encoding, and also with Origin if origins are configured', async () => {
    await using open = await openTestApp();
    await using listed = await openTestApp({ corsOrigins: ['https://shop.example'] });
    for (const path of ['/v1/pets', '/v1/pets', '/v1/pets?cursor=MS4xLmFiY2RlZjAx', '/v1/pets/1']) {
      await addPets(open, equalPets(1));
      await addPets(listed, equalPets(1));
      const [one, two] = [await open.send(path), await listed.send(path)];
      const isPage = one.status === 200;
      expect(one.headers.get('vary')).toBe(isPage ? 'Accept-Encoding' : null);
      expect(two.headers.get('vary')).toBe(isPage ? 'Accept-Encoding, Origin' : 'Origin');
    }
  });
});

describe('compression', () => {
  const cases = [
    ['gzip', true],
    ['br, gzip;q=0.5', true],
    ['*;q=0, gzip', true],
    ['gzip;q=0', false],
    ['identity, *;q=0', false],
    ['', false],
  ] as const;

  test.each(cases)('Accept-Encoding: %s', async (header, isCompressed) => {
    await using app = await openTestApp();
    await addPets(app, equalPets(40));
    for (const path of ['/v1/pets', '/v1/pets']) {
      const plain = await app.send(path);
      const response = await app.send(path, { headers: { 'accept-encoding': header } });
      expect(response.headers.get('content-encoding')).toBe(isCompressed ? 'gzip' : null);
      const bytes = Buffer.from(await response.arrayBuffer());
      const text = isCompressed ? new TextDecoder().decode(Bun.gunzipSync(bytes)) : String(bytes);
      expect(text).toBe(await plain.text());
      expect(response.headers.get('etag')).toBe(plain.headers.get('etag'));
    }
  });
});
