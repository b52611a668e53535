import { expect } from 'bun:test';
import type { Page } from 'playwright-core';

/** The name of the element with the focus, and whether its focus is visible. */
export async function focused(page: Page): Promise<{ name: string; isSeen: boolean }> {
  return await page.evaluate(`(() => {
    const element = document.activeElement;
    const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent
      ?? element.textContent ?? '';
    const { outlineStyle } = getComputedStyle(element);
    // The body has the focus while a control of the browser has it.
    const isSeen = outlineStyle !== 'none' || ['H1', 'H2', 'BODY'].includes(element.tagName);
    return { name: name.trim(), isSeen };
  })()`);
}

/** Presses Tab until an element has the focus, as a user without a mouse does. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const unseen: string[] = [];
  for (let count = 0; count < 150; count += 1) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (!now.isSeen) unseen.push(now.name);
    if (typeof name === 'string' ? now.name === name : name.test(now.name)) {
      expect(unseen).toEqual([]);
      return;
    }
  }
  throw new Error(`Nothing that Tab reaches is called ${name}`);
}

export async function press(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}
