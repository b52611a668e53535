import { expect } from 'bun:test';
import { openBrowserPage } from './browser.ts';

/** Adds an animal, which is the only one with its name, and reads it back. */
export async function tryAnimals(origin: string, apiKey: string | undefined, name: string) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name, categoryId: 7 });
  const added = await fetch(`${origin}/v1/pets`, { method: 'POST', headers, body });
  expect(added.status).toBe(201);
  const found = await fetch(`${origin}/v1/pets?name=${name}`, { headers });
  expect(await found.json()).toEqual([await added.json()]);
}

/** Reads the pages with what they load, which comes from sources, from packages, or from inside an executable. */
export async function tryPages(origin: string): Promise<void> {
  const paths = [
    ...['/', '/console', '/console.css', ...(await consoleScripts(origin))],
    ...['/docs', '/docs/swagger-ui-bundle.js', '/docs/host.js', '/openapi.yaml'],
  ];
  for (const path of paths) {
    const answer = await fetch(`${origin}${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    expect([path, (await answer.text()).length > 500]).toEqual([path, true]);
  }
}

/** The script of the page, and of those that it loads later one alone and the worker. */
async function consoleScripts(origin: string): Promise<string[]> {
  const page = await (await fetch(`${origin}/console`)).text();
  const [, folder = ''] = /src="(console\/scripts\/[0-9a-f]{16}\/)app\.js"/.exec(page) ?? [];
  return ['app.js', 'import.js', 'workbook-reader.js'].map((name) => `/${folder}${name}`);
}

/** Signs in to the console in Chromium, and finds an animal. */
export async function tryConsole(origin: string, apiKey: string | undefined, name: string) {
  await using browser = await openBrowserPage();
  const { page, complaints } = browser;
  await page.goto(`${origin}/console`);
  await page.getByLabel('API key').fill(apiKey ?? '');
  await page.getByLabel('API key').press('Enter');
  await page.getByRole('link', { name }).first().waitFor();
  expect(complaints).toEqual([]);
}
