import { expect, test } from 'bun:test';
import { waitFor } from '@testing-library/dom';
import { render } from 'preact';
import { openPage, see } from '../../test/open-page.tsx';
import { type EventLog, useEventLog } from './event-log.ts';

test('a page that stays open forgets the oldest of many events, and reads them again on demand', async () => {
  const { call } = await openPage({
    at: 'orders',
    fill: (calls) => calls('POST', '/pets', { name: 'Rex', categoryId: 1 }),
  });
  await see('Live');
  let log: EventLog | undefined;
  function Watch() {
    log = useEventLog('all', [{ filter: {}, includes: () => true }]);
    return null;
  }
  const root = document.createElement('div');
  render(<Watch />, root);
  await waitFor(() => expect(log?.isComplete()).toBe(true));
  for (let count = 1; count <= 1101; count += 1) {
    await call('PATCH', '/pets/1', { name: `Rex ${count}` });
  }
  // What came while it was read again is there too.
  const isNewest = () => expect(log?.newestFirst()[0]?.data).toMatchObject({ name: 'Rex 1101' });
  await waitFor(isNewest, { timeout: 40_000 });
  await waitFor(() => expect(log?.isComplete()).toBe(false), { timeout: 40_000 });
  expect(log?.size()).toBeWithin(1000, 1102);
  await log?.read(() => false);
  expect([log?.size(), log?.isComplete()]).toEqual([1102, true]);
  render(null, root);
});
