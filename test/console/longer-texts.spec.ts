import { pseudoText } from '../support/pseudo-text.ts';
import { findLayoutFaults } from './support/layout.ts';
import { test as base, expect, type Page, type Shop } from './support/shop.ts';

/** The console in the pseudo-language, which has accents and 30 % more letters. */
const test = base.extend<{ pseudoPage: Page }, { scripts: Readonly<Record<string, string>> }>({
  scripts: [async ({ bun }, use) => use(await bun.pseudoScripts()), { scope: 'worker' }],

  async pseudoPage({ page, scripts }, use) {
    await page.route('**/console/scripts/**', async (route) => {
      const name = new URL(route.request().url()).pathname.replace(/.*\//, '');
      await route.fulfill({ body: scripts[name] ?? '', contentType: 'text/javascript' });
    });
    await use(page);
  },
});

// Data and dates are Greek, so that Latin letters without accents are of the console.
test.use({ locale: 'el-GR', isSignedIn: false });

const url = 'http://127.0.0.1:9/hooks';
const file = 'name,category,status\nΡεξ,Σκύλοι,;\n,2,sold\nΒ,9.2E+18,sold\nΓ,Γάτες,sold\n';

async function fill(shop: Shop): Promise<void> {
  await shop.call('PUT', '/categories/1', { name: 'Σκύλοι', description: 'Μεγάλοι και μικροί' });
  for (const name of ['Ρεξ', 'Μία από το καταφύγιο', 'Τομ', 'Λούνα', 'Άρης']) {
    await shop.call('POST', '/pets', { name, categoryId: 1 });
  }
  const note = 'Κυρία Παπαδοπούλου, 0171 555 1234';
  await shop.call('POST', '/store/orders', { petId: 1, note, shipDate: '2027-12-24T12:00:00Z' });
  await shop.call('POST', '/store/orders', { petId: 2 });
  await shop.call('PATCH', '/store/orders/2', { status: 'shipped' });
  await shop.call('POST', '/store/orders', { petId: 3 });
  await shop.call('DELETE', '/store/orders/3');
  await shop.call('PATCH', '/pets/4', { status: 'pending' });
  await shop.call('DELETE', '/pets/5');
  await shop.call('POST', '/webhooks', { url, description: 'Ιστότοπος' });
}

const press = (text: string) => (page: Page) =>
  page
    .getByRole('button', { name: pseudoText(text) })
    .first()
    .click();

/** Opens the first menu of a row. */
const openMenu = (page: Page) =>
  page.getByRole('row').getByTitle(pseudoText('More')).first().click();

const chooseFile = (page: Page) =>
  page
    .locator('input[type=file]')
    .setInputFiles({ name: '1.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });

async function openCategories(page: Page): Promise<void> {
  await press('Add an animal')(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').first().click();
  await dialog.getByRole('option').first().waitFor();
}

async function createKey(page: Page): Promise<void> {
  await press('Create a key')(page);
  await page.getByLabel(pseudoText('Name'), { exact: true }).fill('Ιστότοπος');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: pseudoText('Create') })
    .click();
  await page.getByText(pseudoText('it is never shown again.')).waitFor();
}

/** The address of a screen, a text that it shows when it is complete, and what is opened there. */
type Screen = readonly [string, string, ((page: Page) => Promise<unknown>)?];

const screens: Readonly<Record<string, Screen>> = {
  animals: ['animals', 'Παπαδοπούλου'],
  'a menu of a row': ['animals', 'Παπαδοπούλου', openMenu],
  'the selection of animals': [
    'animals',
    'Παπαδοπούλου',
    (page) => page.getByRole('checkbox').nth(1).check(),
  ],
  'a list in which nothing matches': ['animals?name=nothing', pseudoText('No animal matches')],
  'the form of an animal': ['animals', 'Παπαδοπούλου', press('Add an animal')],
  'the categories of a form': ['animals', 'Παπαδοπούλου', openCategories],
  'the reservation of an animal': ['animals', 'Παπαδοπούλου', press('Reserve')],
  'the hand-over of an animal': ['animals', 'Παπαδοπούλου', press('Hand over')],
  'the page of a reserved animal': ['animals/1', 'Παπαδοπούλου'],
  'the page of a sold animal': ['animals/2', pseudoText('sold')],
  'the page of a deleted animal': ['animals/5', pseudoText('Add it again')],
  orders: ['orders', 'Παπαδοπούλου'],
  'an animal for an order': ['orders', 'Παπαδοπούλου', press('Reserve an animal')],
  categories: ['categories', 'Μεγάλοι'],
  'the form of a category': ['categories', 'Μεγάλοι', press('Add a category')],
  events: ['events', 'Σκύλοι'],
  import: ['import', pseudoText('Workbook or CSV file')],
  'an import that asks': ['import', pseudoText('Workbook or CSV file'), chooseFile],
  webhooks: ['webhooks', url],
  'the page of a webhook': ['webhooks/1', url],
  'the form of a webhook': ['webhooks', url, press('Add a webhook')],
  keys: ['keys', 'first'],
  'the form of a key': ['keys', 'first', press('Create a key')],
  'a new key': ['keys', 'first', createKey],
  sessions: ['sessions', pseudoText('this session')],
};

/** What the test itself has in Latin letters. */
const data = [/shop-\d+/, /http:\S+/, /anst_\w+/, /\b(first|name|category|status|sold|csv)\b/];

/** On a phone, on a usual screen, and where the page of an animal is beside its list. */
async function lookAtWidths(page: Page, open?: Screen[2]): Promise<void> {
  await open?.(page);
  for (const width of [1440, 1280, 320]) {
    await page.setViewportSize({ width, height: 900 });
    expect.soft(await findLayoutFaults(page, data), `at ${width} px`).toEqual([]);
  }
}

test.describe('texts that are 30 % longer fit, and all are in texts/:', () => {
  for (const [name, [address, shown, open]] of Object.entries(screens)) {
    test(name, async ({ pseudoPage: page, shop }) => {
      await fill(shop);
      await page.goto(await shop.newLink());
      await page.getByText(pseudoText('Live'), { exact: true }).waitFor();
      await page.goto(shop.address(address));
      await page.getByText(shown).locator('visible=true').first().waitFor();
      await lookAtWidths(page, open);
    });
  }

  test('the sign-in', async ({ pseudoPage: page, shop }) => {
    await page.goto(shop.address());
    await page.getByText(pseudoText('API key or link')).waitFor();
    await lookAtWidths(page, press('Sign in'));
  });

  test('the first steps', async ({ pseudoPage: page, shop }) => {
    await page.goto(await shop.newLink());
    await page.getByText(pseudoText('No animals yet')).waitFor();
    await lookAtWidths(page);
  });
});
