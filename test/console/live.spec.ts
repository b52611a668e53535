import { button, openSignedIn, rowOf, waitUntilLive } from './support/actions.ts';
import { expect, type Page, test } from './support/shop.ts';

/** Hides or shows the page, as the browser does when another tab is in front. */
async function setVisible(page: Page, isVisible: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${isVisible ? 'visible' : 'hidden'}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));`);
}

test('a hidden page has no stream, and continues at its place when it is visible again', async ({
  page,
  shop,
}) => {
  const ended = page.waitForEvent('requestfailed', (request) =>
    request.url().includes('/events/stream'),
  );
  await setVisible(page, false);
  await ended;
  await shop.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  const stream = page.waitForRequest(/\/events\/stream/);
  await setVisible(page, true);
  await expect(button(page, 'Show 1 new animal')).toBeVisible();
  await stream;
});

test('a click on a row selects its animal while others add animals', async ({ page, shop }) => {
  for (let count = 1; count <= 30; count += 1) {
    await shop.call('POST', '/pets', { name: `Old ${count}`, categoryId: 1 });
  }
  await page.reload();
  await rowOf(page, 'Old 30').waitFor();
  for (const name of ['Old 30', 'Old 28', 'Old 25']) {
    const box = rowOf(page, name).getByRole('checkbox');
    const place = await box.boundingBox();
    await Promise.all(
      [1, 2, 3].map((count) =>
        shop.call('POST', '/pets', { name: `New ${name} ${count}`, categoryId: 1 }),
      ),
    );
    await page.mouse.click((place?.x ?? 0) + 5, (place?.y ?? 0) + 5);
    await expect(rowOf(page, name)).toHaveAttribute('aria-selected', 'true');
  }
  await expect(page.getByText('3 selected').first()).toBeAttached();
  await button(page, 'Show 9 new animals').click();
  await expect(rowOf(page, 'New Old 25 3')).toBeVisible();
});

test('changes of others arrive in ten windows over three streams, also when the windows that had them are closed', async ({
  page,
  context,
  shop,
}) => {
  let streamCount = 0;
  context.on('request', (request) => {
    if (request.url().includes('/events/stream')) streamCount += 1;
  });
  await page.reload();
  await waitUntilLive(page);
  const windows = await Promise.all(
    Array.from({ length: 9 }, async () => {
      const other = await context.newPage();
      await openSignedIn(other, shop.address());
      return other;
    }),
  );
  expect(streamCount).toBe(3);
  await shop.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  // The event makes each window read the counts again.
  for (const one of windows) await one.getByRole('link', { name: 'All 1' }).waitFor();
  await page.close();
  await shop.call('POST', '/pets', { name: 'Tom', categoryId: 1 });
  for (const one of windows) await one.getByRole('link', { name: 'All 2' }).waitFor();
});
