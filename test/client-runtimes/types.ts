// The promises of the client's types. This file is compiled, never run: here with the sources, and by `npm run test:client` with the
// package as it is installed, in several versions of TypeScript.

import {
  type AnimalStore,
  type EventType,
  isAnimalStoreError,
  type Order,
  type Pet,
  type PetStatus,
  parseJson,
  type ResponseInfo,
  type StoreEvent,
  stringify,
  type UnknownEvent,
  verifyWebhook,
  WebhookError,
} from '../../client/src/index.ts';

/** Compiles only if both types are the same. */
type Same<Left, Right> =
  (<Value>() => Value extends Left ? 1 : 2) extends <Value>() => Value extends Right ? 1 : 2
    ? true
    : false;

/** The type of an event narrows its record. */
export function describeEvent(event: StoreEvent): string {
  if (event.type === 'pet.created') {
    const isPet: Same<typeof event.data, Pet> = true;
    return `${isPet}: ${event.data.name}`;
  }
  // @ts-expect-error A misspelt type is an error.
  if (event.type === 'pet.udpated') return '';
  switch (event.type) {
    case 'order.created':
    case 'order.updated':
      return `${event.data.petId} ${event.previous?.status ?? event.data.status}`;
    case 'feed.reset':
      return event.id;
    case 'category.deleted':
      return event.data.description ?? '';
    default: {
      // Types of a newer service arrive here, so that no `switch` is exhaustive without a default.
      const type: string = event.type;
      return type === 'webhook.disabled' ? stringify(event) : type;
    }
  }
}

/** Events of unknown types have data of no known shape. */
export function isKnown(event: StoreEvent, known: readonly EventType[]): boolean {
  const unknown: UnknownEvent = { ...event, type: '?', data: { member: 1 }, previous: {} };
  const member: unknown = unknown.data.member;
  return member !== undefined && known.some((type) => type === event.type);
}

/** Orders may get further states. Known ones are suggested, and compare like any. */
export function isOpen({ status }: Order): boolean {
  const states: Order['status'][] = ['pending', 'shipped', 'cancelled', 'refunded'];
  return states.includes(status) && status !== 'refunded';
}

/** No state is ever added to animals, so that a switch can be exhaustive. */
export function colourOf(status: PetStatus): string {
  switch (status) {
    case 'available':
      return 'green';
    case 'pending':
      return 'yellow';
    case 'sold':
      return 'red';
  }
}

export async function callWithOptions(store: AnimalStore): Promise<readonly ResponseInfo[]> {
  const responses: ResponseInfo[] = [];
  const headers = { 'X-Request-Id': 'checkout-7', traceparent: undefined };
  const onResponse = (response: ResponseInfo) => void responses.push(response);
  await store.pets.list({}, { headers, onResponse, retryMillisecondsMax: 0 }).toArray({ max: 1 });
  const filter = { types: ['pet.*', 'webhook.disabled'], record: 'pet:7' };
  await store.events.stream({ headers, onResponse, ...filter }).next();
  await store.categories.put(1, { id: 1, name: 'Dogs' }, { ifNoneMatch: '*' });
  // @ts-expect-error Only `*` means "create".
  await store.categories.put(1, { name: 'Dogs' }, { ifNoneMatch: '"etag"' });
  const remaining: number | undefined = responses[0]?.rateLimit?.remaining;
  const requestId: string | undefined = responses[0]?.requestId;
  const parsed: unknown = parseJson(`[${remaining ?? 0},"${requestId}"]`);
  return responses.filter(({ status, isReplayed }) => status === 200 && !isReplayed && parsed);
}

export function isCreatedAlready(error: unknown): boolean {
  return isAnimalStoreError(error, 'precondition_failed') && error.requestId !== undefined;
}

/** A delivery is verified with the headers of fetch and of Node.js, and its event narrows like others. */
export async function receive(request: Request): Promise<string> {
  const nodeHeaders: { [name: string]: string | string[] | undefined } = {};
  await verifyWebhook(['whsec_a', 'whsec_b'], nodeHeaders, new Uint8Array(), { now: Date.now() });
  // @ts-expect-error The body must not be parsed.
  await verifyWebhook('whsec_a', nodeHeaders, { id: 'evt_1' });
  try {
    const event = await verifyWebhook('whsec_a', request.headers, await request.text());
    // @ts-expect-error A test event has no sequence.
    BigInt(event.sequence);
    if (event.type === 'webhook.test') return event.id;
    return event.type === 'pet.created' ? event.data.name : String(event.sequence);
  } catch (error) {
    return error instanceof WebhookError && error.code === 'wrong_signature' ? '400' : '500';
  }
}
