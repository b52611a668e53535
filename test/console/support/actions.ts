import { expect, type Locator, type Page } from '@playwright/test';

// What users do, and what they look for.

/** The table row with this text. */
export function rowOf(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

/** The button with exactly this name. */
export function button(page: Page, name: string) {
  return page.getByRole('button', { name, exact: true });
}

/** Does something with a record by the menu of its row. */
export async function choose(page: Page, action: string, record: string): Promise<void> {
  await button(page, `More for ${record}`).click();
  await page.getByRole('menuitem', { name: `${action} ${record}` }).click();
}

/** Opens an address of the console, and waits until it shows the changes of others. */
export async function openSignedIn(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await waitUntilLive(page);
}

export async function waitUntilLive(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor();
}

/** Chooses a line of the menu of settings. */
export async function chooseSetting(page: Page, name: string): Promise<void> {
  await button(page, 'Settings').click();
  await page.getByRole('menuitem', { name }).click();
}

/** Opens a screen by the navigation, or the menu of settings. */
export async function goTo(page: Page, screen: string): Promise<void> {
  const screens = page.getByRole('navigation', { name: 'Screens' });
  if (/^(Webhooks|Keys|Sessions)$/.test(screen)) await chooseSetting(page, screen);
  else await screens.getByRole('link', { name: screen }).click();
  await page.getByRole('heading', { level: 1, name: screen }).waitFor();
}

/** Types a key or a link into the page that has no session, or whose session has ended. */
export async function signInWith(page: Page, secret: string): Promise<void> {
  await page.getByLabel('API key or link').fill(secret);
  await page.keyboard.press('Enter');
}

export async function signOut(page: Page): Promise<void> {
  await chooseSetting(page, 'Sign out');
  await page.getByText('You are signed out.').waitFor();
}

/** Opens another address of the console in the same tab, as a link in a message does. */
export async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate(`location.href = ${JSON.stringify(address)}`);
}

/** Types into a field with a list, and chooses the first option. */
export async function pick(within: Page | Locator, label: string, text: string): Promise<void> {
  const field = within.getByRole('combobox', { name: label, exact: true });
  await field.fill(text);
  await expect(field).toHaveAttribute('aria-activedescendant', /./);
  await field.press('Enter');
}

/** Adds an animal as a user does. */
export async function addAnimal(page: Page, name: string, category: string): Promise<void> {
  await page.getByRole('button', { name: 'Add an animal' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await pick(dialog, 'Category', category);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Chooses a CSV file on the screen for imports. */
export async function chooseCsv(page: Page, text: string): Promise<void> {
  const file = { name: 'pets.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  await page.getByLabel('Workbook or CSV file').setInputFiles(file);
}

/** A file of sold animals in category 7, which asks no questions. */
export function csvOf(count: number): string {
  const rows = Array.from({ length: count }, (_, index) => `Pet ${index},7,sold\n`);
  return `name,category,status\n${rows.join('')}`;
}

/** What a test holds back until it opens the gate. */
export function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
