import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { germanCsv } from '../support/german-animals.ts';
import { goTo, openSignedIn, rowOf } from './support/actions.ts';
import { callService, expect, test } from './support/shop.ts';

test.use({ viewport: { width: 1120, height: 630 } });

const docs = join(import.meta.dirname, '../../docs');

// ANIMAL_STORE_TEST_PICTURES=1 takes the pictures again.
test('docs/console.md shows each screen', async ({ page, bun }) => {
  const { origin, databaseUrl, firstKey } = await bun.startServer([]);
  const call = async (method: string, path: string, body?: unknown) =>
    (await callService(origin, firstKey, method, path, body)).json();
  await bun.run(databaseUrl, ['demo', '--animals', '60', '--orders', '14']);
  const taken: string[] = [];
  const take = async (name: string) => {
    taken.push(name);
    if (process.env.ANIMAL_STORE_TEST_PICTURES !== '1') return;
    await page.screenshot({ path: join(docs, `pictures/console-${name}.png`) });
  };
  for (const name of ['Rex', 'Mia', 'Tom']) await call('POST', '/pets', { name, categoryId: 1 });
  await call('PATCH', '/pets/61', { status: 'pending' });
  const { id } = (await call('POST', '/store/orders', { petId: 62 })) as { id: number };
  await call('PATCH', `/store/orders/${id}`, { status: 'shipped' });
  for (const [petId, note] of Object.entries({ 59: 'Ms Miller, 0171 555 1234', 56: 'Mr Gray' })) {
    const reserved = `/store/orders?petId=${petId}&status=pending`;
    const [open] = (await call('GET', reserved)) as { id: number }[];
    await call('PATCH', `/store/orders/${open?.id}`, { note, shipDate: '2027-12-24T12:00:00Z' });
  }
  await openSignedIn(page, await bun.run(databaseUrl, ['console', '--port', new URL(origin).port]));
  await rowOf(page, 'Mia').getByText('sold').waitFor();
  await rowOf(page, '#59').getByText('for Ms Miller').waitFor();
  await page.getByText('63 animals').first().waitFor();
  await take('animals');
  await page.getByRole('link', { name: 'Mia', exact: true }).click();
  await page.getByText('Order 15 was handed over').waitFor();
  await take('animal');
  await goTo(page, 'Orders');
  await rowOf(page, 'Mia (62)').waitFor();
  await page.getByText('15 orders').first().waitFor();
  await take('orders');
  await goTo(page, 'Categories');
  await rowOf(page, 'Dogs').waitFor();
  await take('categories');
  await goTo(page, 'History');
  await page.getByText('Rex (animal 61) was changed: status from available to reserved').waitFor();
  await take('history');
  await goTo(page, 'Keys');
  await page.getByText('first', { exact: true }).waitFor();
  await take('keys');
  await page.goto(`${origin}/console/w/default/#import`);
  const file = { name: 'Bestand.csv', mimeType: 'text/csv', buffer: germanCsv() };
  await page.getByLabel('Workbook or CSV file').setInputFiles(file);
  await page.getByText('Not imported: Nr.').waitFor();
  await take('import');
  const guide = readFileSync(join(docs, 'console.md'), 'utf8');
  const shown = [...guide.matchAll(/pictures\/console-(\w+)\.png/g)].map(([, name]) => name);
  expect(shown.toSorted()).toEqual(taken.toSorted());
  const missing = taken.filter((name) => !existsSync(join(docs, `pictures/console-${name}.png`)));
  expect(missing).toEqual([]);
});
