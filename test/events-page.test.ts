import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { openBrowserPage } from './support/browser.ts';
import { call } from './support/call-server.ts';
import { startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const guide = join(import.meta.dir, '../docs/events.md');

/** The page in the documentation with another address and key. */
async function readPage(origin: string, key: string): Promise<string> {
  const [, page = ''] = /```html\n([\s\S]*?)```/.exec(await Bun.file(guide).text()) ?? [];
  return page.replace('http://127.0.0.1:8080', origin).replace('anst_live_…', key);
}

test('the page in docs/events.md shows each change once, also of a name with unusual line ends', async () => {
  using folder = makeTemporaryFolder();
  await using server = await startServerProcess(`sqlite:${folder.path}/test.db`);
  const key = server.firstKey ?? '';
  using site = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async () =>
      new Response(await readPage(server.origin, key), {
        headers: { 'content-type': 'text/html' },
      }),
  });
  await using browser = await openBrowserPage();
  const { page } = browser;
  const connected = page.waitForResponse((response) => response.url().includes('/events/stream'));
  await page.goto(`http://127.0.0.1:${site.port}/`);
  await connected;
  const names = ['Rex', 'a\u2028b', 'Max \u{1f431}'];
  for (const name of names) {
    await call(server, key, '/v1/pets', 'POST', { name, categoryId: 1 });
  }
  await page.getByText('Max').waitFor();
  const shown = names.map((name, index) => `pet.created ${index + 1} ${name}`);
  expect(await page.locator('li').allTextContents()).toEqual(shown.toReversed());
  expect(browser.complaints).toEqual([]);
}, 60_000);
