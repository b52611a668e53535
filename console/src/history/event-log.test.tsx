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
  // A busy machine can end the stream meanwhile: the log is then read again, and counts from there.
  let count = 0;
  for (let round = 0; round < 3 && log?.isComplete() !== false; round += 1) {
    for (const end = count + 1101; count < end; ) {
      count += 1;
      await call('PATCH', '/pets/1', { name: `Rex ${count}` });
    }
    // What came while it was read again is there too.
    const isNewest = () =>
      expect(log?.newestFirst()[0]?.data).toMatchObject({ name: `Rex ${count}` });
    await waitFor(isNewest, { timeout: 40_000 });
  }
  await waitFor(() => expect(log?.isComplete()).toBe(false));
  expect(log?.size()).toBeWithin(1000, count + 1);
  await log?.read(() => false);
  expect([log?.size(), log?.isComplete()]).toEqual([count + 1, true]);
  render(null, root);
});
