import { expect, test } from 'bun:test';
import { openPage, see } from '../../test/open-page.tsx';

test('changes by others are shown behind a proxy that holds the stream of events back', async () => {
  const page = await openPage({ at: 'animals', unanswered: /events\/stream$/ });
  await see('No animals yet');
  await see('No connection: trying again');
  await see('Live');
  await page.call('POST', '/pets', { name: 'Rex', categoryId: 1 });
  await see(/^Rex|Show 1 new animal/);
}, 20_000);

test('a session that ends elsewhere covers the page within a second, also of a key that sees no events', async () => {
  const page = await openPage({ at: 'animals', scopes: ['pets:read'] });
  await see('No animals yet');
  await page.signOutElsewhere();
  const ended = performance.now();
  await see('Your session has ended');
  expect(performance.now() - ended).toBeLessThan(1200);
});
