// What an event means, as plain data. The events screen and the page of an animal show it in the same words.

import type { Category, Order, Pet } from '../../../client/src/contract.ts';
import type { StoreEvent } from '../../../client/src/stream.ts';
import type { verbs } from '../texts/changes.ts';

/** One line of a history. */
export interface Line {
  readonly event: StoreEvent;
  /** The change of the animal that this event of an order caused. */
  readonly caused?: StoreEvent | undefined;
}

/** A member of a record that changed. The values are those of the API; null is none. */
export interface MemberChange {
  readonly member: string;
  readonly before: unknown;
  readonly now: unknown;
  /** The member is one of the animal, in a line about an order. */
  readonly isOfAnimal?: true;
}

type Verb = keyof typeof verbs;

export function petOf(event: StoreEvent | undefined): Pet | undefined {
  switch (event?.type) {
    case 'pet.created':
    case 'pet.updated':
    case 'pet.deleted':
      return event.data;
    default:
      return undefined;
  }
}

export function orderOf(event: StoreEvent): Omit<Order, 'note'> | undefined {
  return event.type === 'order.created' || event.type === 'order.updated' ? event.data : undefined;
}

export function categoryOf(event: StoreEvent): Category | undefined {
  switch (event.type) {
    case 'category.created':
    case 'category.updated':
    case 'category.deleted':
      return event.data;
    default:
      return undefined;
  }
}

/** The lines of events, newest first. An order and the change that it caused are one line. */
export function toLines(newestFirst: readonly StoreEvent[]): readonly Line[] {
  const lines: Line[] = [];
  for (const [index, event] of newestFirst.entries()) {
    const later = newestFirst[index - 1];
    const isCause = later !== undefined && isCausedBy(later, event);
    // The service appends the change right after its cause.
    if (isCause) lines.pop();
    lines.push({ event, caused: isCause ? later : undefined });
  }
  return lines;
}

function isCausedBy(change: StoreEvent, cause: StoreEvent): boolean {
  const petId = orderOf(cause)?.petId;
  return (
    petId !== undefined &&
    change.type === 'pet.updated' &&
    petId === change.data.id &&
    change.sequence === cause.sequence + 1n &&
    change.requestId === cause.requestId
  );
}

const verbsOfTypes: { readonly [Type in StoreEvent['type']]?: Verb } = {
  'pet.created': 'created',
  'category.created': 'created',
  'pet.updated': 'updated',
  'category.updated': 'updated',
  'pet.deleted': 'deleted',
  'category.deleted': 'deleted',
  'order.created': 'placed',
};

/** What happened. Undefined for a type of a newer server. */
export function verbOf(event: StoreEvent): Verb | undefined {
  return event.type === 'order.updated'
    ? orderVerbOf(event.data, event.previous ?? {})
    : verbsOfTypes[event.type];
}

function orderVerbOf({ status }: Pick<Order, 'status'>, previous: object): Verb {
  if ('status' in previous && status === 'shipped') return 'handedOver';
  if ('status' in previous && status === 'cancelled') return 'cancelled';
  // Events never contain the note.
  return Object.keys(previous).length === 0 ? 'noteChanged' : 'updated';
}

/** `complete` repeats the status. The verb of an order says what its status became. */
const leftOut = new Set(['complete', 'order status']);

/** The members that an update changed. */
export function changesOf(event: StoreEvent): readonly MemberChange[] {
  const { type, data, previous = {} } = event;
  const isHandOver = verbOf(event) === 'handedOver';
  const now = new Map<string, unknown>(Object.entries(data));
  return Object.entries(previous)
    .filter(([member]) => !leftOut.has(member) && !leftOut.has(`${type.split('.')[0]} ${member}`))
    .map(([member, before]) => ({
      member,
      // The earlier date is the last day of the reservation, and the new one is the day of the hand-over.
      before: isHandOver && member === 'shipDate' ? null : before,
      now: now.get(member) ?? null,
    }));
}
