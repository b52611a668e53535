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
  const app = await findApp(origin);
  return ['app.js', 'import.js', 'workbook-reader.js'].map((name) => app.replace('app.js', name));
}

async function findApp(origin: string): Promise<string> {
  const page = await (await fetch(`${origin}/console`)).text();
  return `/${/src="(console\/scripts\/[0-9a-f]{16}\/app\.js)"/.exec(page)?.[1]}`;
}

/** Text that only preact has. A package that depends on another version would bring it a second time. */
const textOfPreact = 'http://www.w3.org/1998/Math/MathML';

/** Checks that the scripts of the page contain the code of preact once. */
export async function tryPreact(origin: string): Promise<void> {
  const app = `${origin}${await findApp(origin)}`;
  const first = await (await fetch(app)).text();
  const names = [...first.matchAll(/import\("\.\/([\w.-]+)"\)/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(3);
  const later = names.map(async (name) => (await fetch(app.replace('app.js', name))).text());
  const scripts = [first, ...(await Promise.all(later))].join('\n');
  const preact = await Bun.file(Bun.resolveSync('preact', import.meta.dir)).text();
  const countIn = (text: string) => text.split(textOfPreact).length - 1;
  expect(countIn(scripts)).toBe(countIn(preact));
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
