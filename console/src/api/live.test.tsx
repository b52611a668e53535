import { test } from 'bun:test';
import { openPage, see } from '../../test/open-page.tsx';

test('changes by others are shown behind a proxy that holds the stream of events back', async () => {
  const page = await openPage({ at: 'animals', unanswered: /events\/stream$/ });
  await see('No animals yet');
  await see('No connection: trying again');
  await see('Live');
  await page.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await see(/^Rex|Show 1 new animal/);
}, 20_000);
