import { expect, test } from 'bun:test';
import { screen } from '@testing-library/dom';
import { click, has, openPage, type Page, see, type } from '../../test/open-page.tsx';

const fill = async (call: Page['call']) => {
  await call('POST', '/categories', { name: 'Dogs' });
  await call('POST', '/pets', { name: 'Rex', categoryId: 1 });
};
const at = 'animals';

test('the number above a list is right while others change animals all the time', async () => {
  const { call } = await openPage({ at, fill });
  await call('POST', '/pets', { name: 'Tom', categoryId: 1 });
  await see('2 animals');
  let isRight = false;
  const changes = (async () => {
    for (let count = 0; count < 60 && !isRight; count += 1) {
      await call('PATCH', '/pets/2', { name: `Tom ${count}` });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return isRight;
  })();
  await type('Search by name or number', 'rex');
  const isInTime = await Promise.race([see('1 animal').then(() => true), changes]);
  isRight = true;
  await changes;
  expect(isInTime).toBe(true);
});

test('a key that may only read sees changes of others with a button, and no control that changes an animal', async () => {
  const { call } = await openPage({ at, scopes: ['pets:read'], fill });
  await see('Rex');
  await see('Changes by others are not shown at once');
  await call('PATCH', '/pets/1', { name: 'Ada' });
  await click('Reload');
  await see('Ada');
  expect(screen.queryAllByRole('checkbox')).toEqual([]);
  expect(has(/Edit|Sell|Reserve|Add/)).toBe(false);
});
