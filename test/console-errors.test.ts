import { expect, test } from 'bun:test';
import { AnimalStoreError } from '../client/src/error.ts';
import { readError } from '../client/src/response.ts';
import { errorText } from '../console/src/texts/errors.ts';
import {
  makeLink,
  sendFromPage,
  signIn,
  signInAsOwner,
  trySignIn,
} from './support/console-session.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

/** The sentence that the console shows for the error of an answer. */
async function sentenceOf(answer: Response | Promise<Response>): Promise<string> {
  return errorText(await readError(await answer));
}

async function fillShop(app: TestApp) {
  const owner = await signInAsOwner(app);
  for (const name of ['Rex', 'Tom', 'Mia']) {
    await owner.write('POST', '/console/v1/pets', { name, categoryId: 1 });
    await owner.write('POST', '/console/v1/store/orders', {
      petId: name === 'Mia' ? 3 : 1,
    });
  }
  await owner.write('POST', '/console/v1/store/orders', { petId: 2 });
  await owner.write('PATCH', '/console/v1/store/orders/3', { status: 'shipped' });
  await owner.send('/console/v1/store/orders/2', { method: 'DELETE' });
  return owner;
}

test('the console has the facts of each error of the service in its own words', async () => {
  await using app = await openTestApp();
  const owner = await fillShop(app);
  const write = (method: string, path: string, body: unknown) =>
    sentenceOf(owner.write(method, `/console/v1${path}`, body));
  const rateLimit = { count: 1, seconds: 60 };
  const { text: apiKey } = await app.createKey({ scopes: ['pets:read'], rateLimit });
  const reader = await signIn(app, { apiKey });
  expect((await reader.send('/console/v1/pets')).status).toBe(200);
  await owner.write('POST', '/console/v1/webhooks', { url: 'https://shop.example/hooks' });
  const sentences = {
    open: await write('PATCH', '/pets/1', { status: 'sold' }),
    shipped: await write('PATCH', '/store/orders/3', { shipDate: '2026-12-24T09:00:00Z' }),
    cancelled: await write('PATCH', '/store/orders/2', { status: 'shipped' }),
    ordered: await write('POST', '/store/orders', { petId: 1 }),
    animal: await write('PATCH', '/pets/404', {}),
    key: await write('DELETE', '/keys/99', undefined),
    fields: await write('POST', '/pets', { name: 'x'.repeat(256), status: 'gone' }),
    position: await write('PATCH', '/webhooks/1', { position: 99 }),
    days: await write('POST', '/keys', { name: 'desk', expiresInDays: 5000 }),
    large: await write('POST', '/categories', { name: 'x'.repeat(70_000) }),
    link: await sentenceOf(trySignIn(app, { link: `${await makeLink(app)}x` })),
    apiKey: await sentenceOf(trySignIn(app, { apiKey: 'anst_live_wrong' })),
    https: await sentenceOf(sendFromPage(app, '/console/v1/session', {}, 'http://shop.lan')),
    scope: await sentenceOf(reader.write('POST', '/console/v1/pets', {})),
    limit: await sentenceOf(reader.send('/console/v1/pets')),
  };
  expect(sentences).toEqual({
    open: 'Order 1 reserves animal 1. Hand it over, or cancel the reservation first.',
    shipped:
      'Order 3 was handed over, so only its note can change. To take its animal back, set the animal to available.',
    cancelled: 'Order 2 is cancelled, so only its note can change.',
    ordered: 'Animal 1 is not available: it is reserved or sold.',
    animal: 'No animal has the number 404. It may be deleted.',
    key: 'No key has the number 99. It may be deleted.',
    fields:
      'The server rejected a value: Name (1 to 255 characters), Category, Status. Check the fields, then try again.',
    position: 'There is no event after this one yet. Choose a number up to 13, or new events only.',
    days: 'The server rejected a value: Expires (1 to 3,650). Check the fields, then try again.',
    large: 'The text is too long. The server accepts at most 65,536 bytes. Shorten it.',
    link: 'The link is incomplete, was used before, or is older than five minutes.',
    apiKey:
      'The API key is not valid here: it is incomplete, has expired, was revoked, or is for another server.',
    https:
      'The console needs HTTPS, except on this machine. The operator of the server starts it with --base-url https://shop.lan/v1 behind a proxy with TLS. Then open https://shop.lan/console',
    scope: 'Your key does not have the permission to change animals.',
    limit:
      'Too many requests were sent in a short time: at most 1 in 60 seconds. Try again in 60 seconds.',
  });
  const testing = new AnimalStoreError(
    'rate_limited',
    'A test of this webhook is running; retry later',
  );
  expect(errorText(testing)).toBe('A test of this webhook is already running. Try again.');
  const tooMany = new AnimalStoreError(
    'rate_limited',
    'The server runs 10 tests of webhooks in this workspace; retry later',
  );
  expect(errorText(tooMany)).toBe(
    'The server runs 10 tests of webhooks already, which is the limit. Try again.',
  );
  const later = new AnimalStoreError('later_code', 'Text of a later version');
  expect(errorText(later)).toStartWith('The server rejected this (later_code).');
});
