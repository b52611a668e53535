import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { type BrowserPage, openBrowserPage } from './support/browser.ts';
import { type ServerProcess, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { openTestApp } from './support/test-app.ts';

// A browser draws pages for seconds where Bun's default gives a test five; each wait has its own, shorter limit.
setDefaultTimeout(60_000);

interface DocsPage extends BrowserPage {
  readonly server: ServerProcess;
}

/** The page of a fresh server, with the document shown. */
async function openDocsPage(options: { colorScheme?: 'light' | 'dark' } = {}): Promise<DocsPage> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(makeTemporaryFolder());
  const server = stack.use(await startServerProcess(`sqlite:${folder.path}/test.db`));
  const browserPage = stack.use(await openBrowserPage(options));
  await browserPage.page.goto(`${server.origin}/docs`);
  await operation(browserPage.page, 'getPet').waitFor();
  const owned = stack.move();
  return { ...browserPage, server, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function operation(page: Page, operationId: string): Locator {
  return page.locator(`[id^="operations-"][id$="-${operationId}"]`);
}

/** Gives the page the key of the server's first start, as a person does. */
async function authorize({ page, server }: DocsPage): Promise<void> {
  await page.locator('.btn.authorize').click();
  await page.locator('#auth-bearer-value').fill(server.firstKey ?? '');
  await page.locator('#auth-bearer-value').press('Enter');
  await page.locator('.modal-ux .btn-done').click();
}

async function expand(page: Page, operationId: string): Promise<void> {
  await operation(page, operationId).locator('.opblock-summary-control').click();
}

/** Presses Execute and returns the answer's body as shown, once it has this text. */
async function execute(page: Page, operationId: string, text: string): Promise<string> {
  await operation(page, operationId).locator('.btn.execute').click();
  const shown = operation(page, operationId).locator('.live-responses-table code', {
    hasText: text,
  });
  await shown.waitFor();
  return (await shown.textContent()) ?? '';
}

function backgroundOf(page: Page, selector: string): Promise<string> {
  return page.evaluate<string>(
    `getComputedStyle(document.querySelector('${selector}')).backgroundColor`,
  );
}

const digits = ['9223372036854775807', '9007199254740993', '-9223372036854775808'];

describe('the reference page', () => {
  test('/ leads to /docs, which shows the operations of the document', async () => {
    await using docs = await openDocsPage();
    const { page, server } = docs;
    expect(page.url()).toBe(`${server.origin}/docs`);
    expect(await page.locator('.info .title').textContent()).toStartWith('Animal Store Service');
    const shown = page.locator('.opblock-summary-description');
    expect(await shown.allTextContents()).toEqual([
      'List animals',
      'Add an animal',
      'Get an animal',
      'Change an animal',
      'Remove an animal',
      'List categories',
      'Add a category',
      'Get a category',
      'Name a category',
      'Remove a category',
      'List orders',
      'Order an animal',
      'Get an order',
      'Change or ship an order',
      'Cancel an order',
      'Count animals',
      'List events',
      'Stream events',
    ]);
    expect(await page.locator('.servers select').inputValue()).toBe(`${server.origin}/v1`);
  });

  test('/docs sends a createPet from the console and shows every digit of an int64', async () => {
    await using docs = await openDocsPage();
    const { page } = docs;
    await authorize(docs);
    await expand(page, 'createPet');
    const createPet = operation(page, 'createPet');
    for (const categoryId of digits) {
      const body = `{"name":"of ${categoryId}","categoryId":${categoryId}}`;
      await createPet.locator('textarea').fill(body);
      const [request, shown] = await Promise.all([
        page.waitForRequest('**/v1/pets'),
        execute(page, 'createPet', `of ${categoryId}`),
      ]);
      expect(request.postData()).toBe(body);
      expect(shown).toContain(`"categoryId": ${categoryId},`);
      expect(await createPet.locator('.curl-command code').textContent()).toContain(body);
    }

    await expand(page, 'listPets');
    const listed = await execute(page, 'listPets', 'categoryId');
    expect(listed).toBe(
      `[\n${digits
        .map((categoryId, index) => {
          const members = [
            `"id": ${index + 1}`,
            `"name": "of ${categoryId}"`,
            `"categoryId": ${categoryId}`,
            '"status": "available"',
          ];
          return `  {\n${members.map((member) => `    ${member}`).join(',\n')}\n  }`;
        })
        .reverse()
        .join(',\n')}\n]`,
    );
  });

  test('/docs sends every digit of an int64 in a path and a query', async () => {
    await using docs = await openDocsPage();
    const { page, requests, server } = docs;
    await authorize(docs);
    await expand(page, 'getPet');
    await page.locator('[data-param-name="petId"] input').fill('9223372036854775807');
    await execute(page, 'getPet', 'There is no animal 9223372036854775807');
    await expand(page, 'listPets');
    await page.locator('.json-schema-form-item-add').click();
    await page.locator('[data-param-name="id"] input').fill('9007199254740993');
    await execute(page, 'listPets', '[]');
    expect(requests).toContain(`${server.origin}/v1/pets/9223372036854775807`);
    expect(requests.at(-1)).toEndWith('id=9007199254740993');
  });

  test('/docs asks for all animals, and gives no new one the key of another, unless somebody types more', async () => {
    await using docs = await openDocsPage();
    const { page, requests } = docs;
    await authorize(docs);
    await expand(page, 'createPet');
    for (const id of [1, 2]) await execute(page, 'createPet', `"id": ${id},`);
    await expand(page, 'listPets');
    const listed = await execute(page, 'listPets', '"id": 2');
    expect(listed).toContain('"id": 1');
    expect(requests.at(-1)).toEndWith('/v1/pets?limit=20');
    await expand(page, 'getPet');
    const idField = (operationId: string) =>
      operation(page, operationId).locator('tr[data-param-in="path"] input');
    expect(await idField('getPet').inputValue()).toBe('1');
    // What is changed or removed is for somebody to say.
    for (const operationId of ['deletePet', 'updateOrder', 'putCategory']) {
      await expand(page, operationId);
      expect([operationId, await idField(operationId).inputValue()]).toEqual([operationId, '']);
    }
    expect(await page.locator('.parameter__extension').allTextContents()).not.toContainEqual(
      expect.stringContaining('pattern'),
    );
  });

  test.each(['light', 'dark'] as const)(
    '/docs talks to this service alone and breaks no rule of its policy in the %s scheme',
    async (colorScheme) => {
      await using docs = await openDocsPage({ colorScheme });
      const { page, complaints, requests, server } = docs;
      await authorize(docs);
      await expand(page, 'createPet');
      await operation(page, 'createPet').getByText('Schema').first().click();
      await operation(page, 'createPet').getByText('Edit Value').click();
      await execute(page, 'createPet', '"id": 1');
      await expand(page, 'getPet');
      await page.locator('[data-param-name="petId"] input').fill('1');
      await execute(page, 'getPet', '"id": 1');
      await expand(page, 'listPets');
      await execute(page, 'listPets', '"id": 1');
      await page.locator('.models .json-schema-2020-12-accordion').first().click();
      expect(complaints).toEqual([]);
      const elsewhere = requests.filter((url) => !url.startsWith(`${server.origin}/`));
      expect(elsewhere).toEqual([]);
    },
  );

  test('/docs is dark where the system is, and follows it when it changes', async () => {
    await using docs = await openDocsPage({ colorScheme: 'dark' });
    const { page } = docs;
    const dark = 'rgb(28, 32, 34)';
    expect(await backgroundOf(page, 'html')).toBe(dark);
    expect(await backgroundOf(page, '.swagger-ui')).toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.waitForSelector('html:not(.dark-mode)');
    expect(await backgroundOf(page, 'html')).toBe('rgb(255, 255, 255)');
    expect(await backgroundOf(page, '.swagger-ui')).toBe('rgba(0, 0, 0, 0)');
  });

  test('/docs forgets the API key when it is left', async () => {
    await using docs = await openDocsPage();
    const { page } = docs;
    await authorize(docs);
    await page.locator('.btn.authorize.locked').waitFor();
    expect(await page.evaluate<number>('localStorage.length + sessionStorage.length')).toBe(0);
    await page.reload();
    await page.locator('.btn.authorize.unlocked').waitFor();
  });
});

describe('the files of the reference page', () => {
  test('/docs allows its scripts to call the public addresses and nothing else', async () => {
    await using app = await openTestApp({
      publicUrls: {
        production: 'https://animals.example/v1',
        staging: 'https://staging.animals.example:8443/v1',
      },
    });
    const { headers } = await app.send('/docs', { apiKey: null });
    expect(headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self' https://animals.example https://staging.animals.example:8443",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('/docs and its files are at their exact paths only', async () => {
    await using app = await openTestApp();
    const mediaTypes = {
      '/docs': 'text/html; charset=utf-8',
      '/docs/swagger-ui.css': 'text/css; charset=utf-8',
      '/docs/page.css': 'text/css; charset=utf-8',
      '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
      '/docs/page.js': 'text/javascript; charset=utf-8',
      '/docs/exact-numbers.js': 'text/javascript; charset=utf-8',
      '/docs/parameter-fields.js': 'text/javascript; charset=utf-8',
      '/docs/favicon.png': 'image/png',
    };
    for (const [path, mediaType] of Object.entries(mediaTypes)) {
      const response = await app.send(path, { apiKey: null });
      expect(response.status, path).toBe(200);
      expect(response.headers.get('content-type'), path).toBe(mediaType);
      expect((await response.bytes()).length, path).toBeGreaterThan(0);
      const head = await app.send(path, { apiKey: null, method: 'HEAD' });
      expect(head.status, path).toBe(200);
    }
    for (const path of ['/docs/', '/docs/index.html', '/docs/..%2fdocs.ts', '/DOCS']) {
      expect((await app.send(path, { apiKey: null })).status, path).toBe(404);
    }
  });
});
