import { button, pick, rowOf, signInWith, waitUntilLive } from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

/** Stops a server while something is done, as an overloaded machine does. */
async function whileStopped(pid: number, run: () => Promise<void>): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await run();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

const isLive = (page: Page) => page.getByText('Live', { exact: true });

test('a slow answer is not reported as a lost connection, and its dialog can be closed', async ({
  page,
  shop,
}) => {
  await page.clock.install();
  await page.reload();
  await waitUntilLive(page);
  await button(page, 'Add an animal').click();
  await pick(page.getByRole('dialog'), 'Category', 'Dogs');
  await whileStopped(shop.server.pid, async () => {
    await page.getByLabel('Name', { exact: true }).fill('Rex');
    await page.keyboard.press('Enter');
    await button(page, 'Adding…').waitFor();
    await page.clock.runFor(6000);
    await expect(page.getByText('Waiting for the server…')).toBeVisible();
    await expect(page.getByText('You can close this dialog')).toBeVisible();
    await button(page, 'Close').click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
  await expect(page.getByText('Rex (animal 1) was added.')).toBeVisible();
  await expect(isLive(page)).toBeVisible();
});

test('a server that sends no heartbeat is reported as a lost connection until it continues', async ({
  page,
  shop,
}) => {
  await page.clock.install();
  await page.reload();
  await waitUntilLive(page);
  await whileStopped(shop.server.pid, async () => {
    // The service sends at least a heartbeat every 15 s.
    await page.clock.fastForward(46_000);
    await expect(isLive(page)).toBeVisible();
    await page.clock.runFor(10_000);
    await expect(page.getByText('No connection: trying again')).toBeVisible();
  });
  await expect(isLive(page)).toBeVisible();
});

test.describe('a server that keeps no events', () => {
  test.use({ ownServer: { args: ['--event-days', '0'] }, isSignedIn: false });

  test('shows the changes of others with a button, and says so', async ({ page, shop }) => {
    await page.goto(shop.address());
    await signInWith(page, shop.apiKey);
    await expect(page.getByText('Changes by others are not shown at once')).toBeVisible();
    await shop.call('POST', '/pets', { name: 'Rex', categoryId: 5 });
    await button(page, 'Reload').click();
    await expect(rowOf(page, 'Rex')).toBeVisible();
  });
});
