import { signal } from '@preact/signals';
import type { Order } from '../../../client/src/contract.ts';
import { formatDay } from '../parts/display.tsx';
import { draftTexts, reservationTexts as texts } from '../texts/orders.ts';
import { hasPassed } from './order-draft.ts';

/** The time, renewed each minute, so that an open page marks what is overdue. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 60_000);

/** For whom an order is, and until when, in full. */
export function OrderFacts({ order }: { readonly order: Order }) {
  const { note, shipDate } = order;
  return (
    <dl class="order-facts">
      {note !== undefined && (
        <>
          <dt>{draftTexts.note}</dt>
          <dd class="note" dir="auto">
            {note}
          </dd>
        </>
      )}
      {shipDate !== undefined && order.status === 'pending' && (
        <>
          <dt>{draftTexts.until}</dt>
          <dd>
            <OrderDate order={order} phrase={(day) => day} />
          </dd>
        </>
      )}
    </dl>
  );
}

/** For whom an animal is reserved, and until when, in the cell of a row. */
export function Reservation({ order }: { readonly order: Order }) {
  const { note, shipDate, id } = order;
  const person = note === undefined ? '' : firstLine(note);
  return (
    <span class="reservation" title={[note, dateText({ order })].filter(Boolean).join('\n')}>
      {person !== '' && (
        <span>
          {texts.for} <bdi>{person}</bdi>
        </span>
      )}
      {shipDate !== undefined && (
        <span>
          <OrderDate order={order} />
        </span>
      )}
      {person === '' && shipDate === undefined && <span>{texts.order(id)}</span>}
    </span>
  );
}

interface DateProps {
  readonly order: Order;
  /** The last day of a reservation in words. */
  readonly phrase?: (day: string) => string;
}

/** The last day of a reservation, or the day when the animal was handed over. An overdue one has a word of its own. */
export function OrderDate(props: DateProps) {
  const text = dateText(props);
  return isOverdue(props.order) ? <span class="overdue">{text}</span> : text;
}

/** The same as text, for paper. */
export function dateText({ order, phrase = texts.until }: DateProps): string {
  const { shipDate, status, complete } = order;
  if (shipDate === undefined || (status !== 'pending' && !complete)) return '';
  const day = formatDay(shipDate);
  if (complete) return day;
  return isOverdue(order) ? texts.overdue(day) : phrase(day);
}

function isOverdue({ shipDate, status }: Order): boolean {
  return shipDate !== undefined && status === 'pending' && hasPassed(shipDate, now.value);
}

/** The first line of a note that has text. Its other lines are in the dialogs. */
export function firstLine(note: string): string {
  return note.trim().split(/[\n\r\u2028\u2029]/, 1)[0] ?? '';
}
