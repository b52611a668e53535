import { rowOf } from './support/actions.ts';
import { expect, test } from './support/shop.ts';

test('Back from an animal of a list that was scrolled by its bar shows the same rows, with the focus on the same link', async ({
  page,
  shop,
}) => {
  const { call, workspace } = shop;
  await shop.run('demo', '--workspace', workspace, '--animals', '3000', '--orders', '0');
  // The numbers in the list have a gap, so that an estimated place differs.
  for (let id = 1000; id < 1800; id += 1) await call('DELETE', `/pets/${id}`);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.reload();
  const grid = page.getByRole('grid');
  await grid.getByRole('row').nth(5).waitFor();
  const inGrid = <Result>(act: string) =>
    page.evaluate<Result>(`(${act})(document.querySelector('[role="grid"]'))`);
  const scrollTo = (part: number) =>
    page.evaluate(`scrollTo(0, document.body.scrollHeight * ${part})`);
  await scrollTo(0.5);
  await page.locator('[role="grid"][aria-busy="false"]').waitFor();
  await grid.getByRole('link').nth(12).waitFor();
  await scrollTo(0.51);
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
  const isOfList = (url: string) => /\/pets\?/.test(url) && !/[?&]id=/.test(url);
  const requestCount = requests.filter(isOfList).length;
  // A click on a link that is not in sight would scroll the list.
  const link = await inGrid<{ href: string; x: number; y: number }>(`(element) => {
    const top = 250;
    const shown = [...element.querySelectorAll('.name a')]
      .map((one) => ({ href: one.hash, box: one.getBoundingClientRect() }))
      .filter(({ box }) => box.top > top)
      .sort((left, right) => left.box.top - right.box.top);
    return { href: shown[0].href, x: shown[0].box.x + 5, y: shown[0].box.y + 5 };
  }`);
  const top = await page.evaluate('scrollY');
  await page.mouse.click(link.x, link.y);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  // A list reads the rows in sight when it has rested.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
  await page.goBack();
  await expect(page.locator('a:focus')).toHaveAttribute('href', link.href);
  expect(await page.evaluate('scrollY')).toBe(top);
  expect(requests.filter(isOfList)).toHaveLength(requestCount);
});

test('a larger font size of the browser enlarges the texts, and the rows of lists with them', async ({
  page,
  shop,
}) => {
  await shop.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await page.reload();
  const sizes = async () => [
    (await rowOf(page, 'Rex').boundingBox())?.height,
    await page.evaluate('getComputedStyle(document.body).fontSize'),
  ];
  expect(await sizes()).toEqual([40, '15px']);
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard: 24, fixed: 24 } });
  await page.reload();
  expect(await sizes()).toEqual([60, '22.5px']);
});

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]) {
  test(`Back from the page of an animal returns to its place and link at ${viewport.width} px`, async ({
    page,
    shop,
  }) => {
    await page.setViewportSize(viewport);
    for (let count = 1; count <= 40; count += 1) {
      await shop.call('POST', '/pets', { name: `Rex ${count}`, categoryId: 4 });
    }
    await page.reload();
    await rowOf(page, 'Rex 40').waitFor();
    await page.evaluate('scrollTo(0, 9999); scrollBy(0, -150)');
    const link = page.getByRole('link', { name: 'Rex 5', exact: true });
    await link.focus();
    const before = await page.evaluate<number>('scrollY');
    await link.press('Enter');
    const heading = page.getByRole('heading', { level: 1, name: 'Rex 5 (animal 5)' });
    await expect(heading).toBeFocused();
    expect(await page.title()).toBe('Rex 5 (animal 5) – Animal Store');
    await page.getByText('Added').waitFor();
    await page.goBack();
    await expect(link).toBeFocused();
    expect(Math.abs((await page.evaluate<number>('scrollY')) - before)).toBeLessThan(120);
  });
}

test('the time of an event stays on one line', async ({ page, shop }) => {
  await shop.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await page.goto(shop.address('history'));
  const time = page.locator('time').first();
  await time.waitFor();
  expect((await time.boundingBox())?.height).toBeLessThan(30);
});
