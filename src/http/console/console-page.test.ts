import { afterAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openTestApp } from '../../../test/support/test-app.ts';

const opening = openTestApp();
afterAll(async () => (await opening)[Symbol.asyncDispose]());

const get = async (path: string) =>
  (await opening).send(path, { apiKey: null, headers: { 'accept-encoding': 'gzip, br' } });

/** The addresses in the page, and those of the scripts that the first of them loads later. */
async function findFiles() {
  const page = await (await get('/console')).text();
  const linked = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => `/${path}`);
  const entry = linked.find((path) => path.endsWith('/app.js')) ?? '';
  const response = await (await opening).send(entry, { apiKey: null });
  const names = (await response.text()).matchAll(/import\("\.\/([\w.-]+)"\)/g);
  const later = new Set([...names].map(([, name = '']) => entry.replace('app.js', name)));
  return { linked, entry, later: [...later] };
}

async function transferBytes(path: string): Promise<number> {
  const response = await get(path);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.bytes()).length;
}

describe('the console', () => {
  test('takes at most 180 KiB in transfer until its first screen, and 80 KiB for each other one', async () => {
    const { linked, entry, later } = await findFiles();
    expect(linked).toContainEqual(expect.stringMatching(/^\/console\.css\?v=[0-9a-f]{16}$/));
    const first = await Promise.all(['/console', ...linked].map(transferBytes));
    expect(first.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(180 * 1024);
    expect(later.map((path) => path.split('/').at(-1))).toContain('import.js');
    // Most screens share no script with others, so that what one loads is about its own size.
    for (const path of [...later, entry.replace('app.js', 'workbook-reader.js')]) {
      expect(await transferBytes(path)).toBeLessThanOrEqual(80 * 1024);
    }
  });

  test.each(['/console', '/console/', '/console/w/shop', '/console/w/shop/'])(
    'is at %s, with links that lead to its scripts from there',
    async (path) => {
      const { entry } = await findFiles();
      const page = await (await get(path)).text();
      const [, link = ''] = /src="([^"]+app\.js)"/.exec(page) ?? [];
      expect(new URL(link, `http://localhost${path}`).pathname).toBe(entry);
    },
  );

  test('has scripts that browsers keep for good, below a digest of all of them', async () => {
    const { linked, entry, later } = await findFiles();
    const style = linked.find((path) => path.startsWith('/console.css')) ?? '';
    for (const path of [entry, ...later, style]) {
      const { status, headers } = await get(path);
      expect([path, status, headers.get('cache-control')]).toEqual([
        ...[path, 200, 'public, max-age=31536000, immutable'],
      ]);
    }
    // A page of another version has a style, and asks for it again.
    const { status, headers } = await get('/console.css?v=0000000000000000');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const digest = entry.split('/').at(-2) ?? '';
    const other = entry.replace(
      digest,
      digest.replace(/^./, (first) => (first === '0' ? '1' : '0')),
    );
    for (const path of [other, entry.replace('app.js', 'other.js')]) {
      const { status, headers } = await get(path);
      expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
    }
  });

  test('has the same digest on servers that run in different folders', async () => {
    const { entry } = await findFiles();
    const script = `
      const { consolePageEndpoints } = await import(${JSON.stringify(join(import.meta.dir, 'console-page.ts'))});
      const [{ respond }] = consolePageEndpoints();
      console.log((await respond({ pathParameters: {} })).body);`;
    const page = Bun.spawnSync([process.execPath, '--eval', script], { cwd: '/' }).stdout;
    expect(page.toString()).toContain(`src="${entry.slice(1)}"`);
  });

  test('asks browsers not to translate it, because its texts change in place', async () => {
    const page = await (await get('/console')).text();
    expect(page).toMatch(/^<!doctype html>\s*<html [^>]*translate="no"/i);
    expect(page).toContain('<meta name="google" content="notranslate">');
  });
});
