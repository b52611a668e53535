// The client must behave the same in every runtime, against a real server. Browsers run this file too, so it needs no test framework.

const big = 9223372036854775807n;

/** Returns the names of the checks that failed. `client` has the exports of the package. */
export async function conform(client, { baseUrl, apiKey }) {
  const { createAnimalStore, etagOf, isAnimalStoreError, parseJson, stringify } = client;
  const store = createAnimalStore({ baseUrl, apiKey });
  const wrong = [];
  const check = (name, holds) => {
    if (!holds) wrong.push(name);
  };

  const name = 'Zoë \u{1f431} "\\ \u2028 12345678901234567890';
  const responses = [];
  const pet = await store.pets.create(
    { name, categoryId: big },
    {
      idempotencyKey: `conform-${baseUrl}`,
      headers: { 'X-Request-Id': 'conform' },
      onResponse: (response) => responses.push(response),
    },
  );
  const [{ status, requestId, isReplayed }] = responses;
  check('a call reports its response', status === 201 && requestId === 'conform' && !isReplayed);
  check(
    'a created animal has every digit and character',
    pet.categoryId === big && pet.name === name,
  );
  const [found] = await store.pets.list({ ids: [pet.id], categoryId: big }).toArray({ max: 2 });
  check(
    'a list has every digit',
    found?.categoryId === big && found.name === name && found.id === pet.id,
  );
  check(
    'JSON is written and read with every digit',
    stringify({ big, pet }).includes('"big":9223372036854775807,') &&
      parseJson(stringify([pet]))[0].categoryId === big,
  );

  const changed = await store.pets.update(
    pet.id,
    { categoryId: -9223372036854775808n },
    { ifMatch: pet },
  );
  check('a change has every digit', changed.categoryId === -9223372036854775808n);
  check('records have a tag', /^"[0-9a-f]{32}"$/.test(etagOf(changed) ?? ''));
  const refused = await store.pets
    .update(pet.id, { name: 'x' }, { ifMatch: pet })
    .catch((error) => error);
  check('an older state is refused', isAnimalStoreError(refused, 'precondition_failed'));
  check('an error has the id of its request', typeof refused.requestId === 'string');
  const missing = await store.orders.get(999999n).catch((error) => error);
  check(
    'an unknown order is an error',
    isAnimalStoreError(missing, 'not_found') && missing.httpStatus === 404,
  );

  for (let count = 0; count < 5; count += 1)
    await store.pets.create({ name: 'Rex', categoryId: 7 });
  let walked = 0;
  for await (const { items } of store.pets.list({ categoryId: 7, limit: 2 }).pages())
    walked += items.length;
  check('a list continues over its pages', walked >= 5);

  const { position } = await store.events.list({ after: 'now' });
  const order = await store.orders.create({ petId: pet.id });
  const seen = [];
  for await (const event of store.events.stream({ after: position })) {
    seen.push(event);
    if (seen.length === 2) break;
  }
  const [first, second] = seen;
  check(
    'the stream has the event of an order',
    first.type === 'order.created' && first.data.id === order.id,
  );
  check(
    'the stream has the event of its animal, with every digit',
    second.data.categoryId === changed.categoryId && second.sequence === position + 2n,
  );
  const waited = await store.events.list({ after: position, types: ['pet.*'], wait: 5 });
  check('the list of events has the same', waited.events[0]?.id === second.id);
  await store.orders.cancel(order.id);
  await store.pets.delete(pet.id);

  const leaving = new AbortController();
  setTimeout(() => leaving.abort(new Error('enough')), 50);
  const left = await store.events
    .stream({ after: 'now', signal: leaving.signal })
    .next()
    .catch((error) => error);
  check('a stream ends with its signal', left.message === 'enough');
  wrong.push(...(await verifyDeliveries(client)));
  return wrong;
}

/** Checks a delivery that Python's hmac signed. */
async function verifyDeliveries({ verifyWebhook, WebhookError }) {
  const body =
    '{"id":"evt_1042_k3Jd9QxZ","sequence":1042,"type":"pet.updated","timestamp":"2026-11-21T13:33:05.123456Z",' +
    '"apiVersion":"1.0.0","workspace":"default","requestId":"r-7f3a","data":{"id":7,"name":"Rex",' +
    '"categoryId":9223372036854775807,"status":"sold"},"previous":{"status":"available"}}';
  const headers = {
    'webhook-id': 'evt_1042_k3Jd9QxZ',
    'webhook-timestamp': '1795267985',
    'webhook-signature':
      'v1,EmjdvJ+Q60lLn6ATyVEak6pY1oIRg3KO1F4D6+cu99Y= v1,22BKPMAw6GaGhN0lteQ3DsKW7YgvZeGE2JiUp/xiPwE=',
  };
  const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
  const verify = (rawBody, seconds = 0) =>
    verifyWebhook(secret, new Headers(headers), rawBody, { now: (1795267985 + seconds) * 1000 });
  const codeOf = (verified) =>
    verified.catch((error) => (error instanceof WebhookError ? error.code : error.message));

  const wrong = [];
  const check = (name, holds) => {
    if (!holds) wrong.push(name);
  };
  const event = await verify(new TextEncoder().encode(body));
  check(
    'a delivery has every digit',
    event.data.categoryId === big && event.sequence === 1042n && event.type === 'pet.updated',
  );
  check(
    'a changed delivery is refused',
    (await codeOf(verify(body.replace('Rex', 'Max')))) === 'wrong_signature',
  );
  check('an old delivery is refused', (await codeOf(verify(body, 301))) === 'wrong_timestamp');
  return wrong;
}
