import { expect, setDefaultTimeout, test } from 'bun:test';
import { openConsolePage } from './support/console-page.ts';

// A browser draws for seconds, longer than Bun's default of five for a test. Each wait has its own, shorter limit.
setDefaultTimeout(120_000);

test('an animal has a page with its members, and addresses of no animal say so', async () => {
  await using shop = await openConsolePage();
  const { page, call, server } = shop;
  await call('POST', '/pets', { name: 'Bela', categoryId: 4 });
  await page.goto(`${server.origin}/console#animals/1`);
  await page.getByRole('heading', { level: 1, name: 'Bela (animal 1)' }).waitFor();
  expect(await page.title()).toBe('Bela (animal 1) – Animal Store');
  await call('PATCH', '/pets/1', { name: 'Bella' });
  const heading = page.getByRole('heading', { level: 1, name: 'Bella (animal 1)' });
  await heading.waitFor();

  for (const [record, said] of [
    ['2', 'No animal has the number 2'],
    ['-1', 'No animal has the number -1'],
    ['9223372036854775808', '“9223372036854775808” is not the number of an animal'],
    ['Bella', '“Bella” is not the number of an animal'],
  ] as const) {
    await page.goto(`${server.origin}/console#animals/${record}`);
    await page.getByRole('heading', { level: 2, name: said, exact: true }).waitFor();
  }
  await page.getByRole('link', { name: 'Show all animals' }).click();
  await page.getByRole('heading', { level: 1, name: 'Animals' }).waitFor();
  await page.goto(`${server.origin}/console#animals/1`);
  await heading.waitFor();
  expect(await page.evaluate('document.activeElement?.textContent')).toBe('Bella (animal 1)');
});
