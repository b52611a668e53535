import { signal } from '@preact/signals';
import type { Order, Pet } from '../../../client/src/contract.ts';
import type { StoreEvent } from '../../../client/src/stream.ts';

type Deletion = 'pet.deleted' | 'category.deleted';
type ChangeOf<Event> = Event extends StoreEvent
  ? Event['type'] extends Deletion
    ? never
    : Pick<Event, 'type' | 'data' | 'previous'>
  : never;

/** What a change says. Of a deleted record, only its id is certain. */
export type Change =
  | ChangeOf<StoreEvent>
  | {
      readonly type: Deletion;
      readonly data: { readonly id: bigint };
      readonly previous?: object;
    };

/** A change of a record, by others or by this page. `reset` means that changes may be missing: everything is read again. */
export type Update =
  | { readonly event: StoreEvent; readonly isOwn?: false }
  | { readonly event: Change; readonly isOwn: true }
  | 'reset';

/** `off` if the key has no scope for events, or the server keeps none. */
type Connection = 'connecting' | 'live' | 'lost' | 'off';

export const connection = signal<Connection>('connecting');

type Listener = (update: Update) => void;
const listeners = new Set<Listener>();

/** Calls the listener for every change from now on. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function announce(update: Update): void {
  for (const listener of listeners) {
    try {
      listener(update);
    } catch (error) {
      // The other listeners are called all the same.
      reportError(error);
    }
  }
}

/** Announces a change by this page, before the stream has its event, or without a stream. */
export function announceOwnChange(event: Change): void {
  announce({ event, isOwn: true });
}

/** The id of the record that a change deleted, if it is of this kind. */
export function deletedId(kind: string, change: Change): bigint | undefined {
  const isDeletion = change.type === 'pet.deleted' || change.type === 'category.deleted';
  return isDeletion && change.type === `${kind}.deleted` ? change.data.id : undefined;
}

/** The animal that a change added or changed. */
export function changedPet(change: Change): Pet | undefined {
  return change.type === 'pet.created' || change.type === 'pet.updated' ? change.data : undefined;
}

/** The order that a change added or changed. Events have no notes. */
export function changedOrder(change: Change): Order | undefined {
  return change.type === 'order.created' || change.type === 'order.updated'
    ? change.data
    : undefined;
}
