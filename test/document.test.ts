import { expect, test } from 'bun:test';
import { parse } from 'yaml';
import { openTestApp } from './support/test-app.ts';

test('the document names the address that it was asked at, and is else the same for all', async () => {
  await using app = await openTestApp({
    environment: 'staging',
    publicUrls: { production: 'https://shop.example/v1' },
  });
  const ask = async (path: string, host: string) =>
    (await app.app(new Request(`http://${host}${path}`))).text();
  for (const host of ['one.example', 'two.example:8080']) {
    const json = JSON.parse(await ask('/openapi.json', host));
    expect(json.servers).toEqual([
      { url: `http://${host}/v1`, description: 'Staging' },
      { url: 'https://shop.example/v1', description: 'Production' },
    ]);
    expect(Object.keys(json.paths)).toEqual(['/pets', '/pets/{petId}']);
    expect(parse(await ask('/openapi.yaml', host))).toEqual(json);
  }
});

test('thousands who ask for the document, each at an address of its own, hold nobody up for long', async () => {
  await using app = await openTestApp();
  // Written anew for each, these would take minutes, and the test would run out of its time.
  for (let count = 0; count < 3000; count += 1) {
    const request = new Request(`http://host-${count}.example/openapi.yaml`);
    expect((await app.app(request)).status).toBe(200);
  }
});
