import { expect, test } from 'bun:test';
import { measureQuickRatios } from '../bench/quick-ratios.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

// Ratios taken within a second or two of one process, with bounds that only a change of kind breaks: a page that
// walks all the data costs a hundred times more among a hundred times as many.
test('a page costs the same among many animals, and writes that arrive together share a flush', async () => {
  using folder = makeTemporaryFolder();
  const { pageAmongMany, addingOneByOne } = await measureQuickRatios(folder.path);
  expect(pageAmongMany).toBeLessThan(4);
  expect(addingOneByOne).toBeGreaterThan(2);
});
