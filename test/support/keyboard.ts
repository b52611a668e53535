import type { Page } from 'playwright-core';

/** Says the name of an element, as a user hears it. */
const nameOf = `((element) =>
  (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent
    ?? element.textContent ?? '').trim())`;

/** The name of the element with the focus, and whether its focus is visible. */
export async function focused(page: Page): Promise<{ name: string; isSeen: boolean }> {
  return await page.evaluate(`(() => {
    const element = document.activeElement;
    const { outlineStyle } = getComputedStyle(element);
    // The body has the focus while a control of the browser has it.
    const isSeen = outlineStyle !== 'none' || ['H1', 'H2', 'BODY'].includes(element.tagName);
    return { name: ${nameOf}(element), isSeen };
  })()`);
}

/** How many frames of the page an element may need to appear. */
const framesMax = 1000;

/** Waits for an element, and presses Tab until it has the focus, as a user without a mouse does. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const isName =
    typeof name === 'string' ? `name === ${JSON.stringify(name)}` : `${name}.test(name)`;
  await page.evaluate(`(async () => {
    // An open dialog keeps the focus, so what is behind it cannot be reached.
    const isThere = () =>
      [...([...document.querySelectorAll('dialog:modal')].at(-1) ?? document)
        .querySelectorAll('a, button, input, select, textarea, [tabindex]')]
        .map(${nameOf}).some((name) => ${isName});
    for (let frame = 0; frame < ${framesMax} && !isThere(); frame += 1) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  })()`);
  const unseen: string[] = [];
  for (let count = 0; count < 150; count += 1) {
    await page.keyboard.press('Tab');
    const now = await focused(page);
    if (!now.isSeen) unseen.push(now.name);
    if (typeof name === 'string' ? now.name === name : name.test(now.name)) {
      if (unseen.length > 0) throw new Error(`The focus is not visible on ${unseen}`);
      return;
    }
  }
  throw new Error(`Nothing that Tab reaches is called ${name}`);
}

export async function press(page: Page, name: string | RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}
