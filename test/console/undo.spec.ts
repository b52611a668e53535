import { findBarriers } from '../support/barriers.ts';
import { focused, press } from '../support/keyboard.ts';
import {
  button,
  chooseSetting,
  createGate,
  openSignedIn,
  rowOf,
  signInWith,
} from './support/actions.ts';
import { expect, type Page, type Shop, test } from './support/shop.ts';

const phone = { viewport: { width: 390, height: 844 } } as const;

const undo = (page: Page) => page.getByRole('button', { name: /^Undo: / });

async function rename(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('button', { name: `Edit ${from}` }).click();
  await page.getByLabel('Name', { exact: true }).fill(to);
  await button(page, 'Save').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function addAnimals({ call }: Shop, page: Page, names: readonly string[]): Promise<void> {
  for (const name of names) await call('POST', '/pets', { name, categoryId: 5 });
  await page.reload();
  await rowOf(page, names[0] ?? '').waitFor();
}

async function namesOf({ read }: Shop): Promise<string[]> {
  const pets = (await read('/pets')) as { name: string }[];
  return pets.map(({ name }) => name).toSorted();
}

/** The messages lie below everything else, and have no barrier. */
async function lookAtMessages(page: Page): Promise<void> {
  const coverNothing = await page.evaluate(`(() => {
    scrollTo(0, document.body.scrollHeight);
    const { top, bottom } = document.querySelector('.notices').getBoundingClientRect();
    return top + 1 > document.querySelector('main').getBoundingClientRect().bottom && bottom <= innerHeight;
  })()`);
  expect([coverNothing, await findBarriers(page)]).toEqual([true, []]);
}

for (const [place, options] of [
  ['on a wide screen', {}],
  ['on a phone', phone],
] as const) {
  test.describe(place, () => {
    test.use(options);

    test('earlier changes are undone by keyboard, and their messages cover nothing', async ({
      page,
      shop,
    }) => {
      await addAnimals(shop, page, ['Rex', 'Tom']);
      await rename(page, 'Rex', 'Max');
      await rename(page, 'Tom', 'Kim');
      await lookAtMessages(page);
      await press(page, 'Undo…');
      await page.getByText('Max (animal 1) was saved.').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByText('Rex (animal 1) is as it was before.').waitFor();
      await page.keyboard.press('ControlOrMeta+z');
      await page.getByText('Tom (animal 2) is as it was before.').waitFor();
      // The focus is not lost with the message.
      expect((await focused(page)).name).not.toBe('');
      expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
      expect(await namesOf(shop)).toEqual(['Rex', 'Tom']);
    });
  });
}

test('Ctrl+Z in a text field takes back typing alone', async ({ page, shop }) => {
  await addAnimals(shop, page, ['Rex']);
  await rename(page, 'Rex', 'Max');
  const search = page.getByLabel('Search by name');
  await search.pressSequentially('m');
  await search.press('ControlOrMeta+z');
  await expect(search).toHaveValue('');
  await expect(undo(page)).toBeVisible();
  expect(await namesOf(shop)).toEqual(['Max']);
});

test('Undo ends with a reload and with the session', async ({ page, shop }) => {
  await addAnimals(shop, page, ['Rex']);
  await rename(page, 'Rex', 'Max');
  await undo(page).waitFor();
  await page.reload();
  await rowOf(page, 'Max').waitFor();
  await expect(undo(page)).toHaveCount(0);
  await rename(page, 'Max', 'Ben');
  await undo(page).waitFor();
  await page.evaluate("fetch('/console/v1/session', { method: 'DELETE' })");
  await signInWith(page, await shop.newLink());
  await rowOf(page, 'Ben').waitFor();
  await expect(undo(page)).toHaveCount(0);
});

test.describe('a change of many animals', () => {
  async function fill(page: Page, shop: Shop): Promise<void> {
    await shop.run('demo', '--workspace', shop.workspace, '--animals', '160', '--orders', '0');
    await page.reload();
    await rowOf(page, '#160').first().waitFor();
  }

  async function selectAll(page: Page): Promise<void> {
    await page.getByRole('checkbox').nth(1).check();
    await page.getByRole('button', { name: /^Select all/ }).click();
    await page.getByText('160 selected').waitFor();
  }

  test('continues on other screens, asks before the page is left, and can be stopped and undone', async ({
    page,
    shop,
  }) => {
    await fill(page, shop);
    const before = await shop.read('/store/inventory');
    const gate = createGate();
    let sentCount = 0;
    await page.route('**/pet-changes', async (route) => {
      sentCount += 1;
      if (sentCount > 1) await gate.opened;
      await route.continue();
    });
    await selectAll(page);
    await button(page, 'Set to sold').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set to sold' }).press('Enter');
    await page.getByText('50 of 160 done…').waitFor();
    await lookAtMessages(page);
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    await (await asked).dismiss();
    await chooseSetting(page, 'Sign out');
    await page.getByRole('dialog', { name: 'Stop the change' }).waitFor();
    await page.keyboard.press('Escape');
    await page.evaluate(`location.href = '${await shop.newLink()}'`);
    await page.getByText('stops the import or the change of animals that runs here').waitFor();
    await button(page, 'Keep this session').click();
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByText('No orders yet').waitFor();
    await button(page, 'Stop').click();
    await page.getByText('Stopping…').waitFor();
    gate.open();
    await page.getByText(/10 animals were not changed: the change was stopped\.$/).waitFor();
    await undo(page).click();
    await page.getByText(/^The change of \d+ animals was undone\.$/).waitFor();
    expect(await shop.read('/store/inventory')).toEqual(before);
    await page.getByRole('link', { name: 'Animals', exact: true }).click();
    await page.getByText('10 selected').waitFor();
  });

  test.describe('on a phone', () => {
    test.use(phone);

    test('names those that it left, and the focus returns to a row in sight', async ({
      page,
      shop,
    }) => {
      await fill(page, shop);
      await shop.call('PATCH', '/pets/160', { name: 'Rex', status: 'available' });
      await shop.call('POST', '/store/orders', { petId: 160 });
      await rowOf(page, 'Rex').getByText('reserved').waitFor();
      await selectAll(page);
      await button(page, 'Delete…').click();
      const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true });
      await confirm.press('Enter');
      await page.getByText('159 animals were deleted.').waitFor();
      const refusals = page.getByRole('region', { name: /was not changed/ });
      await refusals.getByText(/^Rex \(animal 160\): /).waitFor();
      await lookAtMessages(page);
      await refusals.getByRole('button', { name: 'Dismiss' }).press('Enter');
      await page.locator('.rows [role=row]:focus').waitFor();
      await page.keyboard.press('ControlOrMeta+z');
      await page.getByText('159 animals were added again, with new numbers.').waitFor();
      await rowOf(page, '319').first().waitFor();
    });
  });

  test('waits for the one before it, and Undo for both', async ({ page, shop }) => {
    for (const categoryId of [1, 2]) {
      for (const name of 'abcdef') await shop.call('POST', '/pets', { name, categoryId });
    }
    const sellAll = async (categoryId: number) => {
      await openSignedIn(page, shop.address(`animals?category=${categoryId}`));
      await rowOf(page, String(categoryId * 6))
        .first()
        .waitFor();
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await button(page, 'Set to sold').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Set to sold' }).click();
    };
    await sellAll(1);
    await undo(page).waitFor();
    const gate = createGate();
    let openCount = 0;
    let openMax = 0;
    await page.route('**/pet-changes', async (route) => {
      openCount += 1;
      openMax = Math.max(openMax, openCount);
      await gate.opened;
      const response = await route.fetch();
      openCount -= 1;
      await route.fulfill({ response });
    });
    await sellAll(2);
    await page.getByText('0 of 6 done…').waitFor();
    await undo(page).click();
    gate.open();
    await openSignedIn(page, shop.address('animals'));
    await page.getByRole('link', { name: 'Available 6' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(openMax).toBe(1);
  });
});
