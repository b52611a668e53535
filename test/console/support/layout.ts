import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';

const source = readFileSync(join(import.meta.dirname, 'layout-faults.js'), 'utf8');

/**
 * What is wrong with the layout of a page: what scrolls sideways, texts that are cut, and controls that cover others. Then the
 * texts in Latin letters, which are not of the pseudo-language, except `data`.
 */
export function findLayoutFaults(page: Page, data: readonly RegExp[]): Promise<string[]> {
  return page.evaluate(`${source}; findLayoutFaults([${data.map((one) => `${one}g`).join()}])`);
}
