import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { Frame, Locator, Page } from 'playwright-core';
import { background } from '../src/context/context.ts';
import { newApiKey } from '../src/http/access/new-api-key.ts';
import { operations } from '../src/http/operations.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { type BrowserPage, openBrowserPage } from './support/browser.ts';
import { createKey } from './support/new-key.ts';
import { runProgram, type ServerProcess, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from './support/temporary-folder.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

// A browser draws for seconds, longer than Bun's default of five for a test. Each wait has its own, shorter limit.
setDefaultTimeout(60_000);

interface DocsPage extends BrowserPage {
  readonly server: ServerProcess;
  /** A key of a new workspace. */
  readonly apiKey: string;
  /** The frame of Swagger UI. */
  readonly reference: Frame;
}

let folder: TemporaryFolder;
let sharedServer: ServerProcess;

beforeAll(async () => {
  folder = makeTemporaryFolder();
  sharedServer = await startServerProcess(`sqlite:${folder.path}/test.db`);
});

afterAll(async () => {
  await sharedServer[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** A key of a new workspace of the shared server. */
async function createApiKey(): Promise<string> {
  const path = join(folder.path, 'test.db');
  await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  const name = `docs-${crypto.randomUUID()}`;
  await database.write(background, 'createWorkspace', { name, now: Date.now() });
  const { text, digest, lastFour } = newApiKey('production');
  await createKey(database, { digest, lastFour }, { workspaceName: name });
  return text;
}

/** The page, after it has loaded the document. */
async function openDocsPage(
  options: { colorScheme?: 'light' | 'dark' } = {},
  { server, apiKey }: { server?: ServerProcess; apiKey?: string | undefined } = {},
): Promise<DocsPage> {
  const used = server ?? sharedServer;
  const browserPage = await openBrowserPage(options);
  await browserPage.page.goto(`${used.origin}/docs`);
  const reference = await referenceOf(browserPage.page);
  return { ...browserPage, server: used, apiKey: apiKey ?? (await createApiKey()), reference };
}

/** The frame of a page, after it has loaded the document. */
async function referenceOf(page: Page): Promise<Frame> {
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  if (frame === null) throw new Error('The frame has no page');
  await operation(frame, 'getPet').waitFor();
  return frame;
}

function operation(page: Frame, operationId: string): Locator {
  return page.locator(`[id^="operations-"][id$="-${operationId}"]`);
}

/** Enters the key, as a user does. */
async function authorize({
  reference,
  apiKey,
}: Pick<DocsPage, 'reference' | 'apiKey'>): Promise<void> {
  await reference.locator('.btn.authorize').click();
  await reference.locator('#auth-bearer-value').fill(apiKey);
  await reference.locator('#auth-bearer-value').press('Enter');
  await reference.locator('.modal-ux .btn-done').click();
}

async function expand(page: Frame, operationId: string): Promise<void> {
  await operation(page, operationId).locator('.opblock-summary-control').click();
}

/** Presses Execute. Returns the body of the answer as shown, when it has this text. */
async function execute(page: Frame, operationId: string, text: string): Promise<string> {
  await operation(page, operationId).locator('.btn.execute').click();
  const shown = operation(page, operationId).locator('.live-responses-table code', {
    hasText: text,
  });
  await shown.waitFor();
  return (await shown.textContent()) ?? '';
}

function backgroundOf(page: Frame, selector: string): Promise<string> {
  return page.evaluate<string>(
    `getComputedStyle(document.querySelector('${selector}')).backgroundColor`,
  );
}

function requestsElsewhere({ requests, server }: DocsPage): string[] {
  return requests.filter((url) => !url.startsWith(`${server.origin}/`));
}

const digits = ['9223372036854775807', '9007199254740993', '-9223372036854775808'];

describe('the reference page', () => {
  test('/docs shows the operations of the document, and offers no request for a stream, because it could not show the answer', async () => {
    await using docs = await openDocsPage();
    const { page, reference, server } = docs;
    expect(page.url()).toBe(`${server.origin}/docs`);
    expect(await reference.locator('.info .title').textContent()).toStartWith(
      'Animal Store Service',
    );
    const shown = reference.locator('.opblock-summary-description');
    expect(await shown.allTextContents()).toEqual(operations.map(({ summary }) => summary));
    expect(await reference.locator('.servers select').inputValue()).toBe(`${server.origin}/v1`);
    await expand(reference, 'listEvents');
    await operation(reference, 'listEvents').locator('.btn.execute').waitFor();
    await expand(reference, 'streamEvents');
    await operation(reference, 'streamEvents').getByText('Last-Event-ID').first().waitFor();
    expect(await operation(reference, 'streamEvents').locator('.btn.execute').count()).toBe(0);
  });

  test('/docs sends and shows every digit of an int64: in a body, a path, a query and an answer', async () => {
    await using docs = await openDocsPage();
    const { page, reference, complaints, requests, server } = docs;
    await authorize(docs);
    await expand(reference, 'createPet');
    const createPet = operation(reference, 'createPet');
    for (const categoryId of digits) {
      const body = `{"name":"of ${categoryId}","categoryId":${categoryId}}`;
      await createPet.locator('textarea').fill(body);
      const [request, shown] = await Promise.all([
        page.waitForRequest('**/v1/pets'),
        execute(reference, 'createPet', `of ${categoryId}`),
      ]);
      expect(request.postData()).toBe(body);
      expect(shown).toContain(`"categoryId": ${categoryId},`);
      expect(await createPet.locator('.curl-command code').textContent()).toContain(body);
    }

    await expand(reference, 'listPets');
    const listed = await execute(reference, 'listPets', 'categoryId');
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

    // Before an answer of 404, which Chromium reports.
    expect(complaints).toEqual([]);
    await expand(reference, 'getPet');
    await reference.locator('[data-param-name="petId"] input').fill('9223372036854775807');
    await execute(reference, 'getPet', 'There is no animal 9223372036854775807');
    await reference.locator('.json-schema-form-item-add').click();
    await reference.locator('[data-param-name="id"] input').fill('9007199254740993');
    await execute(reference, 'listPets', '[]');
    expect(requests).toContain(`${server.origin}/v1/pets/9223372036854775807`);
    expect(requests.at(-1)).toEndWith('id=9007199254740993');
    expect(requestsElsewhere(docs)).toEqual([]);
  });

  test('the examples of /docs list all animals, add two with different keys, and fill in no id to change or delete', async () => {
    await using docs = await openDocsPage();
    const { reference, requests } = docs;
    await authorize(docs);
    await expand(reference, 'createPet');
    for (const id of [1, 2]) await execute(reference, 'createPet', `"id": ${id},`);
    await expand(reference, 'listPets');
    const listed = await execute(reference, 'listPets', '"id": 2');
    expect(listed).toContain('"id": 1');
    expect(requests.at(-1)).toEndWith('/v1/pets?limit=20');
    await expand(reference, 'getPet');
    const idField = (operationId: string) =>
      operation(reference, operationId).locator('tr[data-param-in="path"] input');
    expect(await idField('getPet').inputValue()).toBe('1');
    // The user must enter the id of a record to change or delete.
    for (const operationId of ['deletePet', 'updateOrder', 'putCategory']) {
      await expand(reference, operationId);
      expect([operationId, await idField(operationId).inputValue()]).toEqual([operationId, '']);
    }
    expect(await reference.locator('.parameter__extension').allTextContents()).not.toContainEqual(
      expect.stringContaining('pattern'),
    );
  });

  test('/docs calls this service only, violates no policy and has the scheme of the system, also if CORS is limited', async () => {
    using ownFolder = makeTemporaryFolder();
    const args = ['--cors-origins', 'https://shop.example'];
    await using server = await startServerProcess(`sqlite:${ownFolder.path}/test.db`, { args });
    await using docs = await openDocsPage(
      { colorScheme: 'dark' },
      { server, apiKey: server.firstKey },
    );
    const { page, reference, complaints } = docs;
    await authorize(docs);
    await expand(reference, 'createPet');
    await operation(reference, 'createPet').getByText('Schema').first().click();
    await operation(reference, 'createPet').getByText('Edit Value').click();
    const created = await execute(reference, 'createPet', '"id": 1');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      operation(reference, 'createPet').getByText('Download', { exact: true }).click(),
    ]);
    expect(await Bun.file(await download.path()).json()).toEqual(JSON.parse(created));
    await expand(reference, 'getPet');
    await reference.locator('[data-param-name="petId"] input').fill('1');
    await execute(reference, 'getPet', '"id": 1');
    await expand(reference, 'listPets');
    await execute(reference, 'listPets', '"id": 1');
    await reference.locator('.models .json-schema-2020-12-accordion').first().click();
    expect(complaints).toEqual([]);
    expect(requestsElsewhere(docs)).toEqual([]);

    const dark = 'rgb(28, 32, 34)';
    expect(await backgroundOf(reference, 'html')).toBe(dark);
    expect(await backgroundOf(reference, '.swagger-ui')).toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    await reference.waitForSelector('html:not(.dark-mode)');
    expect(await backgroundOf(reference, 'html')).toBe('rgb(255, 255, 255)');
    expect(await backgroundOf(reference, '.swagger-ui')).toBe('rgba(0, 0, 0, 0)');
  });

  test('a reload of /docs opens the operation in its address again, and forgets the API key', async () => {
    await using docs = await openDocsPage();
    const { page, reference } = docs;
    await authorize(docs);
    await reference.locator('.btn.authorize.locked').waitFor();
    expect(await page.evaluate<number>('localStorage.length + sessionStorage.length')).toBe(0);
    expect(await page.context().storageState()).toEqual({ cookies: [], origins: [] });
    await expand(reference, 'createPet');
    expect(page.url()).toEndWith('/docs#/animals/createPet');
    await page.reload();
    const again = await referenceOf(page);
    await operation(again, 'createPet').locator('.btn.execute').waitFor();
    expect(await operation(again, 'getPet').locator('.btn.execute').count()).toBe(0);
    await again.locator('.btn.authorize.unlocked').waitFor();
  });

  test('a script on /docs cannot use the session of the console', async () => {
    await using browser = await openBrowserPage();
    const { page } = browser;
    const { origin } = sharedServer;
    const database = ['--database', `sqlite:${folder.path}/test.db`];
    const link = await runProgram(['console', ...database, '--port', new URL(origin).port]);
    await page.goto(link.stdout.trim());
    await page.getByRole('button', { name: 'Settings' }).waitFor();
    const read = `fetch('/console/v1/keys').then((answer) => answer.text(), () => 'nothing')`;
    expect(await page.evaluate<string>(read)).toContain('"lastFour"');
    await page.goto(`${origin}/docs`);
    expect(await page.evaluate<string>(read)).toBe('nothing');
    const reference = await referenceOf(page);
    expect(await reference.evaluate<string>(read)).toBe('nothing');
    expect(await reference.evaluate<string>('self.origin')).toBe('null');
    // Requests that the outer page sends for the frame have no cookies, and reach operations only.
    const readThroughHost = (path: string) =>
      reference.evaluate<string>(
        `import('${origin}/docs/through-host.js')
          .then(({ fetchThroughHost }) => fetchThroughHost('${origin}${path}', {}))
          .then((answer) => answer.text(), () => 'nothing')`,
      );
    for (const path of [
      '/console/v1/keys',
      '/v1/../console/v1/keys',
      '/v1/%2e%2e/console/v1/keys',
    ]) {
      expect([path, await readThroughHost(path)]).toEqual([path, 'nothing']);
    }
    expect(await readThroughHost('/v1/pets')).toContain('"missing_api_key"');
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      reference.evaluate<void>(`{ self.popup = open('${origin}/console/v1/keys') }`),
    ]);
    await popup.waitForLoadState();
    const look = `(() => { try { return popup.document.body.innerText } catch { return 'nothing' } })()`;
    expect(await reference.evaluate<string>(look)).toBe('nothing');
  });
});

describe('the files of the reference page', () => {
  test('/docs runs Swagger UI in a sandbox without connections, and calls operations only', async () => {
    const publicUrls = {
      production: 'https://animals.example/v1',
      staging: 'https://staging.animals.example:8443/shop/v1',
    };
    await using app = await openTestApp({ publicUrls });
    await using local = await openTestApp();
    const policyOf = async ({ send }: TestApp, path: string) => {
      const { headers } = await send(path, { apiKey: null });
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      return headers.get('content-security-policy')?.split('; ');
    };
    expect(await policyOf(app, '/docs')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self'",
      "frame-src 'self'",
      'connect-src http://animals.test/v1/ https://animals.example/v1/ ' +
        'https://staging.animals.example:8443/shop/v1/ http://animals.test/openapi.json ' +
        'https://animals.example/openapi.json',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(await policyOf(local, '/docs')).toContain(
      'connect-src http://animals.test/v1/ http://animals.test/openapi.json',
    );
    expect(await policyOf(app, '/docs/reference')).toEqual([
      'sandbox allow-scripts allow-forms allow-downloads allow-popups allow-popups-to-escape-sandbox',
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ]);
  });

  test('/docs and its files exist at their exact paths only', async () => {
    await using app = await openTestApp();
    const mediaTypes = {
      '/docs': 'text/html; charset=utf-8',
      '/docs/reference': 'text/html; charset=utf-8',
      '/docs/host.css': 'text/css; charset=utf-8',
      '/docs/host.js': 'text/javascript; charset=utf-8',
      '/docs/through-host.js': 'text/javascript; charset=utf-8',
      '/docs/swagger-ui.css': 'text/css; charset=utf-8',
      '/docs/page.css': 'text/css; charset=utf-8',
      '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
      '/docs/page.js': 'text/javascript; charset=utf-8',
      '/docs/plugins.js': 'text/javascript; charset=utf-8',
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
