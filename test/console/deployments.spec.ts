import {
  addAnimal,
  button,
  chooseCsv,
  chooseSetting,
  csvOf,
  openSignedIn,
  rowOf,
  waitUntilLive,
} from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

async function sell(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Reserve ${name}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sell now', exact: true }).click();
}

test.describe('behind nginx with TLS, under --base-url', () => {
  test.use({ ignoreHTTPSErrors: true });

  test('tabs show the changes of each other, and the cookie is bound to the host', async ({
    page,
    context,
    bun,
  }) => {
    const missing = await bun.nginxIsMissing();
    test.skip(missing !== '', missing);
    const port = await bun.findFreePort();
    const origin = `https://animals.example:${await bun.startNginx(port)}`;
    const options = ['--base-url', `${origin}/v1`];
    const { databaseUrl } = await bun.startServer(['--port', `${port}`, ...options]);
    const link = await bun.run(databaseUrl, ['console', ...options]);
    expect(link).toContain(`${origin}/console#link=`);
    await openSignedIn(page, link);
    await addAnimal(page, 'Rex', 'Dogs');
    const other = await context.newPage();
    await openSignedIn(other, `${origin}/console`);
    await sell(page, 'Rex');
    await expect(rowOf(other, 'Rex')).toContainText('sold');
    const secure = { secure: true, httpOnly: true, sameSite: 'Strict', path: '/' } as const;
    expect(await context.cookies()).toMatchObject([
      { name: '__Host-animal-store-live', ...secure },
    ]);
  });
});

test.describe('three servers on one PostgreSQL database', () => {
  /** A tab at each of the servers. Cookies are shared by all ports, as behind one public address. */
  const withTabs = test.extend<{ tabs: { first: Page; second: Page; third: Page; pid: number } }>({
    async tabs({ page, context, bun }, use) {
      const url = await bun.createPostgres();
      const first = await bun.startServer([], url);
      const others = [await bun.startServer([], url), await bun.startServer([], url)];
      await openSignedIn(page, await bun.run(url, ['console', '--port', portOf(first.origin)]));
      const [second, third] = [await context.newPage(), await context.newPage()];
      await openSignedIn(second, `${others[0]?.origin}/console`);
      await openSignedIn(third, `${others[1]?.origin}/console`);
      await use({ first: page, second, third, pid: first.pid });
    },
  });

  withTabs('show the changes of each other', async ({ tabs: { first, second, third } }) => {
    await addAnimal(first, 'Rex', 'Dogs');
    for (const tab of [second, third]) await button(tab, 'Show 1 new animal').click();
    await sell(second, 'Rex');
    await expect(rowOf(first, 'Rex')).toContainText('sold');
  });

  withTabs(
    'continue after one of them is gone, and end a session together',
    async ({ tabs: { first, second, third, pid }, bun }) => {
      await bun.killServer(pid);
      await expect(first.getByText('No connection: trying again')).toBeVisible();
      await addAnimal(second, 'Tom', 'Cats');
      await expect(button(third, 'Show 1 new animal')).toBeVisible();
      await chooseSetting(second, 'Sign out');
      await expect(third.getByRole('heading', { name: 'Your session has ended' })).toBeVisible();
    },
  );
});

const portOf = (origin: string) => new URL(origin).port;

test('an import and the events of other users continue after the server was killed and restarted', async ({
  page,
  context,
  bun,
}) => {
  const port = `${await bun.findFreePort()}`;
  const { origin, databaseUrl, pid } = await bun.startServer(['--port', port]);
  await openSignedIn(page, await bun.run(databaseUrl, ['console', '--port', port]));
  const importing = await context.newPage();
  await importing.goto(`${origin}/console/w/default/#import`);
  await chooseCsv(importing, csvOf(300));
  await button(importing, 'Add 300').click();
  await importing.getByText(/^\d{2,} of 300/).waitFor();
  await bun.killServer(pid);
  await expect(page.getByText('No connection: trying again')).toBeVisible();
  await bun.startServer(['--port', port], databaseUrl);
  await expect(importing.getByText('300 added.')).toBeVisible();
  // The other tab counts the events that it received: none is missing, and none is counted twice.
  await expect(page.getByRole('link', { name: 'All 300' })).toBeVisible();
  await expect(button(page, 'Show 300 new animals')).toBeVisible();
  await waitUntilLive(page);
});
