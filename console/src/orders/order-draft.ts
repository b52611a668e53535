import type { NewOrder, Order, OrderPatch } from '../../../client/src/contract.ts';
import { noteLengthMax } from '../../../src/domain/order.ts';
import { parseDateTime } from '../../../src/domain/values/date-time.ts';
import { findLongTextFault } from '../../../src/domain/values/long-text.ts';
import { isChosenDay } from '../api/day.ts';
import { draftTexts as texts } from '../texts/orders.ts';

/** What people enter about an order. */
export interface OrderDraft {
  /** For whom the animal is. Lines end as a field for text ends them. */
  readonly note: string;
  /** A day as a field for dates has it, such as 2026-12-24. Empty without a day. */
  readonly until: string;
}

/** The value of a field for dates with a part of a day. */
export const incompleteDay = 'incomplete';

export const emptyDraft: OrderDraft = { note: '', until: '' };

export function draftOf({ note = '', shipDate }: Pick<Order, 'note' | 'shipDate'>): OrderDraft {
  const until = shipDate === undefined ? '' : dayOf(shipDate);
  return { note: note.replace(/\r\n?/g, '\n'), until };
}

/** Why a draft cannot be sent. `initial` is the draft before the user changed it. */
export function faultsOf({ note, until }: OrderDraft, initial: OrderDraft = emptyDraft) {
  const noteFault = findLongTextFault(note.trim(), noteLengthMax);
  return {
    note: noteFault && texts.noteFaults[noteFault],
    until: until === initial.until ? undefined : dayFault(until, initial.until),
  };
}

function dayFault(day: string, initialDay: string): string | undefined {
  if (day === '') return initialDay === '' ? undefined : texts.dayStays;
  if (timeOfDay(day) === undefined) return texts.dayIncomplete;
  return day < dayOf(Date.now()) ? texts.dayPassed : undefined;
}

/** The members of an order that a draft without faults has. */
export function membersOf({ note, until }: OrderDraft): Pick<NewOrder, 'note' | 'shipDate'> {
  return { note: note.trim() || undefined, shipDate: timeOfDay(until) };
}

/** The change that makes an order as a draft has it. Values that it has already are left out. */
export function changeOf(draft: OrderDraft, order: Order): OrderPatch {
  const { note = null, shipDate } = membersOf(draft);
  const initial = draftOf(order);
  // Only a pending order can get another day.
  const keepsDay = draft.until === initial.until || order.status !== 'pending';
  return {
    ...(draft.note === initial.note ? {} : { note }),
    ...(keepsDay ? {} : { shipDate }),
  };
}

/** The day of a time, as a field for dates has it: the one that was chosen, and else the one in the time zone of the browser. */
export function dayOf(time: string | number): string {
  if (isChosenDay(time)) return new Date(time).toISOString().slice(0, 10);
  const date = new Date(time);
  const parts = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return [String(date.getFullYear()).padStart(4, '0'), ...parts].join('-');
}

/** A day as the service stores it. Undefined if the service has no such time. */
function timeOfDay(day: string): string | undefined {
  const time = `${day}T12:00:00Z`;
  return parseDateTime(time) === undefined ? undefined : time;
}

/** Whether the last day of a reservation has ended, where the browser is. */
export function hasPassed(shipDate: string, now: number): boolean {
  return isChosenDay(shipDate) ? dayOf(shipDate) < dayOf(now) : Date.parse(shipDate) < now;
}
