import { expect, setDefaultTimeout, test } from 'bun:test';
import { openBrowserPage } from './support/browser.ts';
import { addAnimal, rowOf } from './support/console-page.ts';
import { findFreePort } from './support/free-port.ts';
import { createTestDatabase } from './support/postgres.ts';
import { publishedNginxIsMissing, startPublishedNginx } from './support/published-nginx.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

setDefaultTimeout(60_000);

const missing = publishedNginxIsMissing();

test.skipIf(missing !== undefined)(
  `the console is the same behind nginx with TLS, under --base-url${missing === undefined ? '' : `, left out: ${missing}`}`,
  async () => {
    using folder = makeTemporaryFolder();
    const databaseUrl = `sqlite:${folder.path}/test.db`;
    const port = findFreePort();
    await using nginx = await startPublishedNginx(port);
    const publicUrl = `https://animals.example:${nginx.tlsPort}/v1`;
    await using _server = await startServerProcess(databaseUrl, {
      args: ['--port', `${port}`, '--base-url', publicUrl],
    });
    await using browser = await openBrowserPage({ ignoreHTTPSErrors: true });
    const { page, context } = browser;
    const made = await runProgram(['console', '--database', databaseUrl, '--base-url', publicUrl]);
    expect(made.stdout).toStartWith(`https://animals.example:${nginx.tlsPort}/console#link=`);
    await page.goto(made.stdout.trim());
    await page.getByText('Live', { exact: true }).waitFor();
    await addAnimal(page, 'Rex', 'Dogs');
    const other = await context.newPage();
    await other.goto(`https://animals.example:${nginx.tlsPort}/console`);
    await rowOf(other, 'Rex').waitFor();
    await page.getByRole('button', { name: 'Sell Rex' }).click();
    await page.getByRole('button', { name: 'Sell', exact: true }).last().click();
    await rowOf(other, 'Rex').getByText('sold').waitFor();
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({
      name: '__Host-animal-store-live',
      secure: true,
      httpOnly: true,
      sameSite: 'Strict',
      path: '/',
    });
    expect(browser.complaints).toEqual([]);
  },
);

test('three servers on one PostgreSQL database are one console, also after one of them is gone', async () => {
  await using database = await createTestDatabase();
  await using stack = new AsyncDisposableStack();
  const servers = [];
  for (let count = 0; count < 3; count += 1) {
    servers.push(stack.use(await startServerProcess(database.url)));
  }
  const [first, second, third] = servers.map(({ origin }) => origin);
  await using browser = await openBrowserPage();
  const { page, context } = browser;
  const { port } = new URL(first ?? '');
  const made = await runProgram(['console', '--database', database.url, '--port', port]);
  await page.goto(made.stdout.trim());
  await page.getByText('Live', { exact: true }).waitFor();
  // Cookies are shared by all ports, as behind one public address.
  const tabs = await Promise.all(
    [second, third].map(async (origin) => {
      const tab = await context.newPage();
      await tab.goto(`${origin}/console`);
      await tab.getByText('Live', { exact: true }).waitFor();
      return tab;
    }),
  );
  const [atSecond, atThird] = tabs;
  if (atSecond === undefined || atThird === undefined) throw new Error('There are three servers');
  await addAnimal(page, 'Rex', 'Dogs');
  for (const tab of tabs) await tab.getByRole('button', { name: 'Show 1 new animal' }).click();
  await atSecond.getByRole('button', { name: 'Sell Rex' }).click();
  await atSecond.getByRole('button', { name: 'Sell', exact: true }).last().click();
  await rowOf(page, 'Rex').getByText('sold').waitFor();
  await servers[0]?.stop('SIGKILL');
  await page.getByText('No connection: trying again').waitFor();
  await addAnimal(atSecond, 'Tom', 'Cats');
  await atThird.getByRole('button', { name: 'Show 1 new animal' }).waitFor();
  await atSecond.getByRole('button', { name: 'Sign out' }).click();
  await atThird.getByRole('heading', { name: 'Your session has ended' }).waitFor();
});

test('an import and the events of other users continue after the server was killed and restarted', async () => {
  using folder = makeTemporaryFolder();
  const databaseUrl = `sqlite:${folder.path}/test.db`;
  const port = `${findFreePort()}`;
  const start = () => startServerProcess(databaseUrl, { args: ['--port', port] });
  const origin = `http://127.0.0.1:${port}`;
  const server = await start();
  await using browser = await openBrowserPage();
  const { page, context } = browser;
  const made = await runProgram(['console', '--database', databaseUrl, '--port', port]);
  await page.goto(made.stdout.trim());
  await page.getByText('Live', { exact: true }).waitFor();
  const other = await context.newPage();
  await other.goto(`${origin}/console/w/default/#import`);
  const count = 300;
  const rows = Array.from({ length: count }, (_, index) => `Pet ${index},7,sold`).join('\n');
  await other.getByLabel('CSV file').setInputFiles({
    name: 'pets.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`name,category,status\n${rows}\n`),
  });
  await other.getByRole('button', { name: `Add ${count}`, exact: true }).click();
  await other.getByText(/^\d{2,} of 300/).waitFor();
  await server.stop('SIGKILL');
  await page.getByText('No connection: trying again').waitFor();
  await using _again = await start();
  await other.getByText(`${count} added.`).waitFor({
    timeout: 60_000,
  });
  // The other tab counts the events that it received: none is missing, and none is counted twice.
  await page.getByRole('link', { name: `All ${count}` }).waitFor();
  await page.getByRole('button', { name: `Show ${count} new animals` }).waitFor();
});
