import { expect, setDefaultTimeout, test } from 'bun:test';
import { openConsolePage, rowOf } from './support/console-page.ts';

setDefaultTimeout(120_000);

test('the number above a list is right while others change animals all the time', async () => {
  await using shop = await openConsolePage();
  const { page, call } = shop;
  for (const name of ['Rex', 'Rexona', 'Tom']) await call('POST', '/pets', { name, categoryId: 1 });
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
