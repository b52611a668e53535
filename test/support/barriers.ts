import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const axePath = join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js');
const axe = readFileSync(axePath, 'utf8');

interface AxeResult {
  readonly violations: {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The violations of WCAG 2.2 AA on a page, a line each, in the light and in the dark scheme. */
export async function findBarriers(page: Page): Promise<string[]> {
  if (await page.evaluate<boolean>('self.axe === undefined')) await page.evaluate(axe);
  // The header covers what is scrolled below it, which makes targets smaller.
  const top = await page.evaluate<number>('scrollY');
  await page.evaluate('scrollTo(0, 0)');
  const run = async (only: readonly string[]) => {
    const options = JSON.stringify({ runOnly: only });
    return (await page.evaluate<AxeResult>(`axe.run(document, ${options})`)).violations;
  };
  const violations = await run(rules);
  await page.emulateMedia({ colorScheme: 'dark' });
  violations.push(...(await run(['color-contrast'])));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.evaluate(`scrollTo(0, ${top})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`),
  );
}
