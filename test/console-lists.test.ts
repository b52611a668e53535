import { expect, setDefaultTimeout, test } from 'bun:test';
import { openConsolePage, rowOf } from './support/console-page.ts';

setDefaultTimeout(120_000);

test('Back from an animal of a list that was scrolled by its bar shows the same rows, with the focus on the same link', async () => {
  await using shop = await openConsolePage({ demo: ['--animals', '3000'] });
  const { page, call, requests } = shop;
  // The numbers in the list have a gap, so that an estimated place differs.
  for (let id = 1000; id < 1800; id += 1) await call('DELETE', `/pets/${id}`);
  await page.reload();
  const grid = page.getByRole('grid');
  await grid.getByRole('row').nth(5).waitFor();
  const inGrid = <Result>(act: string) =>
    page.evaluate<Result>(`(${act})(document.querySelector('[role="grid"]'))`);
  const scrollTo = (part: number) =>
    inGrid(`(element) => { element.scrollTop = element.scrollHeight * ${part}; }`);
  await scrollTo(0.5);
  await page.locator('[role="grid"][aria-busy="false"]').waitFor();
  await grid.getByRole('link').nth(12).waitFor();
  await scrollTo(0.51);
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 300))');
  const isOfList = (url: string) => /\/pets\?/.test(url) && !/[?&]id=/.test(url);
  const requestCount = requests.filter(isOfList).length;
  // A click on a link that is not in sight would scroll the list.
  const link = await inGrid<{ href: string; x: number; y: number }>(`(element) => {
    const top = element.getBoundingClientRect().top + 150;
    const shown = [...element.querySelectorAll('.name a')]
      .map((one) => ({ href: one.hash, box: one.getBoundingClientRect() }))
      .filter(({ box }) => box.top > top)
      .sort((left, right) => left.box.top - right.box.top);
    return { href: shown[0].href, x: shown[0].box.x + 5, y: shown[0].box.y + 5 };
  }`);
  const top = await inGrid('(element) => element.scrollTop');
  await page.mouse.click(link.x, link.y);
  await page.getByRole('heading', { name: 'History' }).waitFor();
  // A list reads the rows in sight when it has rested.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
  await page.goBack();
  await page.locator('a:focus').waitFor();
  expect(await inGrid('(element) => element.scrollTop')).toBe(top);
  expect(await page.locator('a:focus').getAttribute('href')).toBe(link.href);
  expect(requests.filter(isOfList)).toHaveLength(requestCount);
});

test('the number above a list is right while others change animals all the time', async () => {
  await using shop = await openConsolePage();
  const { page, call } = shop;
  for (const name of ['Rex', 'Rexona', 'Tom']) await call('POST', '/pets', { name, categoryId: 1 });
  await page.reload();
  await rowOf(page, 'Tom').waitFor();
  let isRight = false;
  const changes = (async () => {
    for (let count = 0; count < 60 && !isRight; count += 1) {
      await call('PATCH', '/pets/3', { name: `Tom ${count}` });
      await Bun.sleep(100);
    }
  })();
  await page.getByRole('searchbox').fill('rex');
  const counted = page.getByText('2 animals', { exact: true }).waitFor();
  const isInTime = await Promise.race([counted.then(() => true), changes.then(() => false)]);
  isRight = true;
  await changes;
  await counted;
  expect(isInTime).toBe(true);
});

test('a larger font size of the browser enlarges the texts, and the rows of lists with them', async () => {
  await using shop = await openConsolePage();
  const { page, context, call } = shop;
  await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await page.reload();
  await rowOf(page, 'Rex').waitFor();
  const heightOf = async () => (await rowOf(page, 'Rex').boundingBox())?.height ?? 0;
  const fontOf = () => page.evaluate<string>('getComputedStyle(document.body).fontSize');
  expect([await heightOf(), await fontOf()]).toEqual([44, '15px']);
  const session = await context.newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard: 24, fixed: 24 } });
  await page.reload();
  await rowOf(page, 'Rex').waitFor();
  expect([await heightOf(), await fontOf()]).toEqual([66, '22.5px']);
});

test('a list that cannot be read again keeps its rows, and says so until it is read', async () => {
  await using shop = await openConsolePage();
  const { page } = shop;
  await page.getByRole('link', { name: 'Keys' }).click();
  const row = page.getByRole('row').filter({ hasText: 'first' });
  await row.waitFor();
  await page.route('**/v1/keys*', (route) => route.fulfill({ status: 404, body: '{}' }));
  // The list is read again when a dialog is closed.
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const note = page.getByRole('alert').getByText('This may not be up to date.');
  await note.waitFor();
  expect(await row.count()).toBe(1);
  await page.unroute('**/v1/keys*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await note.waitFor({ state: 'detached' });
  expect(await row.count()).toBe(1);
});
