import type { OrderStatus } from '../../../client/src/contract.ts';
import { noteLengthMax } from '../../../src/domain/order.ts';
import { localCount } from './local-count.ts';
import { statusName } from './status.ts';

/** The screen with the orders. */
export const texts = {
  animal: 'Animal',
  date: 'Date',
  orderNumber: (id: bigint) => `order ${id}`,
  search: 'Search notes and animals',
  showAll: 'Show all orders',
  none: 'No orders yet',
  noneOfStatus: (status: OrderStatus) => `No order is ${statusName(status)}`,
  noMatch: 'No order matches',
  manyAnimals: (count: number) =>
    `More than ${localCount(count)} animals have this text in their names. Orders for the others are left out: type more of the name.`,
  noneHint: 'An order reserves an animal until it is handed over or cancelled. ',
  showAvailable: 'Show available animals',
};

/** An order in titles and messages. `animal` is the name and number of its animal. */
export function orderName(id: bigint, animal: string): string {
  return `order ${id} for ${animal}`;
}

/** Says that another user has changed an order. */
export function refusalOf(order: string, status: string | undefined): string {
  const isClosed = status !== undefined && status !== 'pending';
  const rest = isClosed ? `It is ${statusName(status)} now.` : 'Your change was not saved.';
  return `Another user has changed ${order}. ${rest}`;
}

/** The reservation of an animal that is chosen first. */
export const reserveTexts = {
  title: 'Reserve an animal',
  hint: 'Type a part of its name, or its number.',
  chooseFault: 'Choose an animal.',
};

/** Handing over a reserved animal. */
export const handOverTexts = {
  action: 'Hand over',
  letter: 'H',
  question: (order: string) => `Hand over ${order}?`,
  submit: 'Hand over',
  keep: undefined,
  hint: 'The animal becomes sold, and the order is handed over.',
  done: (order: string) => `Handed over: ${order}.`,
};

export const cancelTexts = {
  action: 'Cancel reservation',
  letter: 'C',
  question: (order: string) => `Cancel the reservation: ${order}?`,
  submit: 'Cancel reservation',
  keep: 'Keep the reservation',
  hint: 'The animal becomes available again, and the order is cancelled.',
  done: (order: string) => `The reservation is cancelled: ${order}.`,
};

/** The edit of an order. */
export const editTexts = {
  title: (order: string) => `Edit ${order}`,
  saved: (order: string) => `Saved: ${order}.`,
};

/** For whom an animal is reserved, in its row. */
export const reservationTexts = {
  for: 'for',
  until: (day: string) => `until ${day}`,
  overdue: (day: string) => `overdue: ${day}`,
  order: (id: bigint) => `order ${id}`,
  none: 'without an order',
  failed: 'order not read: trying again',
};

/** For whom an order is, and until when. */
export const draftTexts = {
  note: 'For whom',
  noteHint: 'Optional. For example a name and a telephone number.',
  until: 'Until',
  untilHint:
    'Optional. After this day, the reservation is shown as overdue. It does not end by itself.',
  noteFaults: {
    too_long: `This text has at most ${localCount(noteLengthMax)} characters.`,
    control_character: 'This text contains a control character. Type it again.',
    lone_surrogate: 'This text contains a broken character (a lone surrogate).',
  },
  dayIncomplete: 'Enter the whole date, or clear it.',
  dayPassed: 'This day has passed. Choose today or a later day.',
  dayStays: 'The date of an order cannot be removed. Choose another day.',
};
