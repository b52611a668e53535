import { findBarriers } from '../support/barriers.ts';
import {
  button,
  chooseCsv,
  createGate,
  csvOf,
  openSignedIn,
  rowOf,
  signInWith,
  signOut,
} from './support/actions.ts';
import { expect, type Page, type Shop, test } from './support/shop.ts';

const menuOf = (page: Page) => page.getByRole('button', { name: /^Workspace / });
const firstAnimal = { name: 'Add the first animal' } as const;

/** Opens another tab of the browser. */
async function openTab(page: Page, address: string): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(address);
  return tab;
}

async function chooseWorkspace(page: Page, name: string): Promise<void> {
  await menuOf(page).click();
  await page.getByRole('link', { name, exact: true }).click();
}

/** Starts to import animals, which arrive when the result is called. */
async function startImport(page: Page, { address }: Shop, count: number) {
  const { opened: released, open: release } = createGate();
  await page.route('**/imports/*/pets', async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(address('import'));
  // The page reads the workspaces when it is loaded.
  await page.reload();
  await chooseCsv(page, csvOf(count));
  await button(page, `Add ${count}`).click();
  return release;
}

test('an import continues in its own workspace while other tabs show others', async ({
  page,
  shop,
}) => {
  const annex = await shop.addWorkspace('annex');
  const finish = await startImport(page, shop, 20);
  const other = await openTab(page, shop.address());
  await chooseWorkspace(other, annex);
  await other.waitForURL(shop.address('', annex).replace('#', ''));
  await expect(other.getByRole('button', firstAnimal)).toBeVisible();
  finish();
  await expect(page.getByText('20 added.')).toBeVisible();
  await expect(menuOf(page)).toHaveText(shop.workspace);
  await other.reload();
  await expect(other.getByRole('button', firstAnimal)).toBeVisible();
});

test('a tab with an import opens another workspace beside itself', async ({ page, shop }) => {
  const barn = await shop.addWorkspace('barn');
  const finish = await startImport(page, shop, 20);
  const opened = page.context().waitForEvent('page');
  await menuOf(page).click();
  await expect(page.getByText('Work runs in this tab.')).toBeVisible();
  await page.getByRole('link', { name: barn, exact: true }).click();
  await expect(menuOf(await opened)).toHaveText(barn);
  finish();
  await expect(page.getByText('20 added.')).toBeVisible();
});

test('a tab keeps its workspace and screen after a reload, and Back leads to those before', async ({
  page,
  shop,
}) => {
  const barn = await shop.addWorkspace('barn');
  await page.goto(shop.address('orders'));
  await page.reload();
  await chooseWorkspace(page, barn);
  await page.getByRole('link', { name: 'Categories' }).click();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Categories' })).toBeVisible();
  expect(page.url()).toBe(shop.address('categories', barn));
  await page.goBack();
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'Orders' })).toBeVisible();
  expect(page.url()).toBe(shop.address('orders'));
  await expect(menuOf(page)).toHaveText(shop.workspace);
});

test('an address without a workspace opens the one that the browser showed last, with its screen', async ({
  page,
  shop,
}) => {
  const barn = await shop.addWorkspace('barn');
  await openSignedIn(page, shop.address('', barn));
  const tab = await openTab(page, `${shop.server.origin}/console#orders`);
  await tab.waitForURL(shop.address('orders', barn));
});

test('the address of a workspace that does not exist shows the others, and no animal of them', async ({
  page,
  shop,
}) => {
  await shop.call('POST', '/pets', { name: 'Rex', categoryId: 5 });
  await page.goto(shop.address('animals/1', 'atic'));
  await expect(page.getByText('There is no workspace “atic”.')).toBeVisible();
  await expect(page.getByText('Rex')).toHaveCount(0);
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole('link', { name: shop.workspace, exact: true }).click();
  await expect(rowOf(page, 'Rex')).toBeVisible();
});

test('a workspace that is deleted while a tab shows it is replaced by the list of the others', async ({
  page,
  shop,
}) => {
  const annex = await shop.addWorkspace('annex');
  await openSignedIn(page, shop.address('', annex));
  await shop.run('workspaces', 'delete', annex, '--yes');
  await expect(page.getByText(`There is no workspace “${annex}”.`)).toBeVisible();
  await expect(page.getByRole('link', { name: annex })).toHaveCount(0);
  await page.getByRole('link', { name: shop.workspace, exact: true }).click();
  await expect(page.getByRole('button', firstAnimal)).toBeVisible();
});

test('a link at the address of another workspace replaces the session of a key there', async ({
  page,
  shop,
}) => {
  const barn = await shop.addWorkspace('barn');
  await signOut(page);
  await signInWith(page, shop.apiKey);
  await expect(page.getByRole('button', firstAnimal)).toBeVisible();
  await page.goto((await shop.newLink()).replace(shop.workspace, barn));
  await button(page, 'Sign in as owner').click();
  await expect(menuOf(page)).toHaveText(barn);
});

test.describe('the menu of workspaces', () => {
  // So that the workspaces of other tests are not in it.
  test.use({ ownServer: { args: [] } });

  /** Opens the menu of a server with the workspaces annex-1, barn-1, default and shop-1, which is open. */
  async function openMenu(page: Page, shop: Shop) {
    for (const part of ['annex', 'barn']) await shop.addWorkspace(part);
    await page.reload();
    await menuOf(page).focus();
    await page.keyboard.press('ArrowDown');
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    await expect(link('shop-1')).toBeFocused();
    return link;
  }

  test('moves the focus with arrow keys and letters, and decides only with Enter', async ({
    page,
    shop,
  }) => {
    const link = await openMenu(page, shop);
    const moves = { ArrowDown: 'annex-1', ArrowUp: 'shop-1', b: 'barn-1', Home: 'annex-1' };
    for (const [key, name] of Object.entries(moves)) {
      await page.keyboard.press(key);
      await expect(link(name)).toBeFocused();
    }
    expect(await findBarriers(page)).toEqual([]);
    expect(page.url()).toBe(shop.address().replace('#', ''));
    await page.keyboard.press('Enter');
    await page.waitForURL(shop.address('', 'annex-1').replace('#', ''));
  });

  test('closes with Escape, with the workspace that is open, and with a click elsewhere', async ({
    page,
    shop,
  }) => {
    await openMenu(page, shop);
    const menu = menuOf(page);
    await page.keyboard.press('Escape');
    await expect(menu).toHaveAttribute('aria-expanded', 'false');
    await expect(menu).toBeFocused();
    for (const key of ['Enter', 'End', 'Enter']) await page.keyboard.press(key);
    await expect(menu).toHaveAttribute('aria-expanded', 'false');
    await menu.click();
    await page.getByRole('heading', { level: 1 }).click();
    await expect(menu).toHaveAttribute('aria-expanded', 'false');
  });

  test('says if no workspace begins with a text, and opens an exact name', async ({
    page,
    shop,
    bun,
  }) => {
    await bun.addWorkspaces(shop.server.databaseUrl, 120);
    await page.reload();
    await menuOf(page).click();
    const search = page.getByLabel('Beginning of the name');
    await search.fill('none');
    await expect(page.getByText('No workspace begins with this.')).toBeVisible();
    await search.fill('many-999');
    await search.press('Enter');
    await expect(page.getByText('There is no workspace “many-999”.')).toBeVisible();
    await page.getByLabel('Beginning of the name').fill('many-97');
    await page.getByRole('link', { name: 'many-97' }).click();
    await expect(menuOf(page)).toHaveText('many-97');
  });
});
