import { expect, test } from 'bun:test';
import { screen, waitFor } from '@testing-library/dom';
import { answerBy, click, has, openPage, type Page, see } from '../../test/open-page.tsx';

const at = 'animals/1';
const addRex = (call: Page['call']) => call('POST', '/pets', { name: 'Rex', categoryId: 4 });
const lines = () => document.querySelectorAll('.changes li');
const textsOf = (selector: string) =>
  [...document.querySelectorAll(selector)].map(({ textContent }) =>
    textContent.replaceAll(/[\u2068\u2069]/g, '').trim(),
  );
const readLines = () => textsOf('.changes li > :nth-child(3)');

test('each change has its values, which are set back, except a status that an open order owns', async () => {
  const { call } = await openPage({
    at,
    async fill(calls) {
      await calls('PUT', '/categories/4', { name: 'Dogs' });
      await addRex(calls);
      await calls('PATCH', '/pets/1', { name: 'Max', categoryId: 7 });
    },
  });
  await see('Added');
  expect(readLines()).toEqual([
    'Changed: name from “Rex” to “Max”, category from Dogs (4) to 7Set back to “Rex”Set back to Dogs (4)',
    'Added',
  ]);
  await call('POST', '/store/orders', { petId: 1 });
  await call('PATCH', '/store/orders/1', { note: 'Ms Lee' });
  await see('Ms Lee');
  await see(/Order 1 has another note/);
  await see(/Order 1 was placed/);
  await waitFor(() => expect(textsOf('.record dl .status')).toEqual(['reserved']));
  expect(has(/^Set back to .*available/)).toBe(false);
  await call('PATCH', '/store/orders/1', { status: 'shipped' });
  await see(/Order 1 was handed over/);
  await waitFor(() => expect(has(/^Set back to .*available/)).toBe(true));
});

test('an animal that changes often has its history in parts', async () => {
  await openPage({
    at,
    async fill(call) {
      await addRex(call);
      for (let count = 1; count <= 110; count += 1) {
        await call('PATCH', '/pets/1', { name: `Rex ${count}` });
      }
    },
  });
  await screen.findByRole('heading', { name: 'History' });
  await waitFor(() => expect(lines().length).toBe(100));
  await click('Show older changes');
  await see('Added');
  expect(lines().length).toBe(111);
});

test('a history says where it begins, shows events of a newer server, and is read again after a failure', async () => {
  await openPage({
    at,
    async fill(call) {
      await addRex(call);
      await call('PATCH', '/pets/1', { name: 'Max' });
    },
  });
  let isBroken = true;
  answerBy(/\/events\?(?!.*after=now)/, async (request, send) => {
    if (isBroken) return new Response('not a service', { status: 403 });
    // The server has deleted what was before an event.
    if (request.url.includes('after=0')) {
      return await send(new Request(request.url.replace('after=0', 'after=999')));
    }
    const answer = await send(request);
    return new Response((await answer.text()).replaceAll('pet.created', 'pet.adopted'), answer);
  });
  await see(/A proxy or another program answered/);
  isBroken = false;
  await click('Try again');
  await see(/The server keeps events for a limited time/);
  expect(readLines()).toEqual([
    'Changed: name from “Rex” to “Max”Set back to “Rex”',
    'An event that this page does not know: pet.adopted',
  ]);
});

test('older orders of an animal that cannot be read are reported, and are read by the next attempt', async () => {
  const page = await openPage({
    at,
    async fill(call) {
      await addRex(call);
      for (let id = 1; id <= 21; id += 1) {
        await call('POST', '/store/orders', { petId: 1 });
        await call('DELETE', `/store/orders/${id}`);
      }
    },
  });
  await see('Order 21');
  page.refused = /GET \/store\/orders/;
  await click('Show more');
  await waitFor(() => expect(textsOf('.table-note')[0]).toContain('Load the page again'));
  expect(textsOf('.orders-of li')).toHaveLength(20);
  page.refused = undefined;
  await click('Show more');
  await waitFor(() => expect(textsOf('.orders-of li')).toHaveLength(21));
});
