import { expect, test } from 'bun:test';
import { testsOfChanges } from '../scripts/tests-of-changes.ts';

test('npm run check runs the tests that changed, those beside a changed file, and those that import one', () => {
  expect(testsOfChanges(['src/context/deadline.ts'])).toEqual(['src/context/deadline.test.ts']);
  expect(testsOfChanges(['src/webhooks/address.ts', 'test/house.test.ts'])).toEqual([
    'src/webhooks/address.test.ts',
    'test/house.test.ts',
  ]);
  expect(testsOfChanges(['src/storage/records/search-page.ts'])).toEqual([
    'test/http-search.test.ts',
  ]);
  expect(testsOfChanges(['README.md'])).toEqual([]);
});
