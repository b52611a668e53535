import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { findBarriers } from './support/barriers.ts';
import { type ConsolePage, openConsolePage, rowOf } from './support/console-page.ts';
import { focused, press } from './support/keyboard.ts';

// A browser draws for seconds, longer than Bun's default of five for a test. Each wait has its own, shorter limit.
setDefaultTimeout(120_000);

const wide = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const;
const narrow = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

/** What a user does with a control of this name. */
type Use = (name: string) => Promise<void>;

const byPointer =
  (page: Page): Use =>
  (name) =>
    page
      .getByRole('button', { name, exact: true })
      .or(page.getByRole('link', { name, exact: true }))
      .click();
const byKeyboard =
  (page: Page): Use =>
  (name) =>
    press(page, name);

async function titleOf(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

/** The lines of the history or of the events, newest first, without their times. */
async function readLines(page: Page): Promise<string[]> {
  const lines = await page.locator('.changes li > :nth-child(3)').all();
  const texts = await Promise.all(lines.map((line) => line.innerText()));
  return texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

async function addHistory({ call }: ConsolePage): Promise<void> {
  await call('PUT', '/categories/4', { name: 'Dogs' });
  for (let count = 1; count <= 40; count += 1) {
    await call('POST', '/pets', { name: `Rex ${count}`, categoryId: 4 });
  }
  await call('PATCH', '/pets/5', { name: 'Bela', categoryId: 7 });
  await call('PATCH', '/pets/5', { name: 'Bella' });
  await call('PATCH', '/pets/6', { status: 'pending' });
}

describe.each([
  ['by pointer on a wide screen', wide, byPointer],
  ['by keyboard on a narrow dark one', narrow, byKeyboard],
] as const)('the page of an animal, %s', (_name, browser, useBy) => {
  test('shows its orders and its history, and sets earlier values back', async () => {
    await using shop = await openConsolePage({ browser });
    const { page, call } = shop;
    const use = useBy(page);
    await addHistory(shop);
    await page.reload();
    await rowOf(page, 'Rex 40').waitFor();
    await page.evaluate("document.querySelector('.table').scrollTop = 9999");
    const before = await page.evaluate("document.querySelector('.table').scrollTop");
    await page.getByRole('link', { name: 'Bella' }).focus();
    await use('Bella');
    await titleOf(page, 'Bella (animal 5)');
    expect(await page.title()).toBe('Bella (animal 5) – Animal Store');
    expect((await focused(page)).name).toBe('Bella (animal 5)');
    await page.getByText('Added').waitFor();
    expect(await readLines(page)).toEqual([
      'Changed: name from “Bela” to “Bella” Set back to “Bela”',
      'Changed: name from “Rex 5” to “Bela”, category from Dogs (4) to 7 Set back to “Rex 5” Set back to Dogs (4)',
      'Added',
    ]);
    expect(await findBarriers(page)).toEqual([]);

    await page.getByRole('button', { name: /^Set back to “Rex 5”/ }).focus();
    await page.keyboard.press('Enter');
    await titleOf(page, 'Rex 5 (animal 5)');
    await use('Undo: The name of Rex 5 (animal 5) is “Rex 5” again.');
    await titleOf(page, 'Bella (animal 5)');

    await use('Reserve Bella (animal 5)');
    await page.getByLabel('For whom').fill('Anna Müller');
    await page.getByRole('dialog').getByRole('button', { name: 'Reserve', exact: true }).click();
    await page.locator('.orders-of').getByText('Anna Müller').waitFor();
    // The open order owns the status.
    expect(await page.getByRole('button', { name: /^Set back to available/ }).count()).toBe(0);
    await use('Hand over Bella (animal 5)');
    await page.getByRole('dialog').getByRole('button', { name: 'Hand over', exact: true }).click();
    await page.locator('.orders-of').getByText('handed over').waitFor();
    await page.getByText('Order 1 was handed over: ').waitFor();
    await page.getByRole('button', { name: /^Set back to available/ }).waitFor();

    await call('PATCH', '/pets/5', { name: 'Bella II' });
    await titleOf(page, 'Bella II (animal 5)');
    await page.getByText('Changed: name from “Bella” to “Bella II”').waitFor();
    await page.goBack();
    await titleOf(page, 'Animals');
    expect(await page.evaluate("document.querySelector('.table').scrollTop")).toBe(before);
    await rowOf(page, 'Bella II').getByText('sold').waitFor();
    expect((await focused(page)).name).toBe('Bella II');
  });
});
