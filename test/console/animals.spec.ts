import { readFile } from 'node:fs/promises';
import { button, goTo } from './support/actions.ts';
import { expect, test } from './support/shop.ts';

test.describe('in a locale with a decimal comma', () => {
  // It makes spreadsheets use the semicolon.
  test.use({ locale: 'de-DE' });

  test('an export keeps every digit of a number', async ({ page, shop }) => {
    const numbers = ['9223372036854775807', '9007199254740993', '-9223372036854775808'];
    for (const [index, number] of numbers.entries()) {
      const pet = `{"name":"Pet ${index}","categoryId":${number}}`;
      await shop.call('POST', '/pets', pet);
    }
    await page.reload();
    const downloading = page.waitForEvent('download');
    await button(page, 'Export').click();
    const exported = await readFile(await (await downloading).path(), 'utf8');
    expect(exported.split('\r\n')).toEqual([
      '\ufeffid;name;categoryId;category;status',
      '3;Pet 2;-9223372036854775808;;available',
      '2;Pet 1;9007199254740993;;available',
      '1;Pet 0;9223372036854775807;;available',
      '',
    ]);
  });
});

test('names with direction characters do not reverse the text around them', async ({
  page,
  shop,
}) => {
  // The second name first ends an isolation.
  for (const start of ['\u202e', '\u2069\u202e']) {
    await shop.call('POST', '/pets', { name: `${start}"dlos saw (7 lamina) xeR"`, categoryId: 1 });
  }
  await goTo(page, 'History');
  await page.getByText('(animal 2) was added').waitFor();
  // The characters of the sentence follow the name in reading order.
  const areInOrder = await page.evaluate(`(() => {
    const range = document.createRange();
    const rectangleOf = (node) => (range.selectNodeContents(node), range.getBoundingClientRect());
    return [...document.querySelectorAll('.events li p bdi')].map(
      (name) => rectangleOf(name).right <= rectangleOf(name.nextSibling).left + 1,
    );
  })()`);
  expect(areInOrder).toEqual([true, true]);
});
