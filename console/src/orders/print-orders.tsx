import type { Order } from '../../../client/src/contract.ts';
import { splitIds } from '../api/ids.ts';
import { hasScope } from '../api/session.ts';
import type { RecordList } from '../lists/record-list.ts';
import { formatDay } from '../parts/display.tsx';
import { PrintButton, type PrintColumn, type Printout } from '../parts/print.tsx';
import type { Lookup } from '../tables/of-rows.ts';
import { animalName } from '../texts/animals.ts';
import { common, frame } from '../texts/common.ts';
import { draftTexts, texts as orderTexts, reservationTexts } from '../texts/orders.ts';
import { texts } from '../texts/print.ts';
import { statusName } from '../texts/status.ts';
import { readNames } from './animal-names.ts';
import { untilText } from './order-facts.tsx';
import type { OrderFilter } from './order-filter.ts';

type Names = Lookup<string>;

/** Prints the orders of the list. */
export function PrintOrders(props: {
  readonly list: RecordList<Order>;
  readonly filter: OrderFilter;
  /** Of the animals of the orders that are loaded. */
  readonly names: Names;
}) {
  const { list, filter, names } = props;
  const printoutOf = (orders: readonly Order[], isComplete: boolean, known: Names) => ({
    title: frame.titles.orders,
    filters: describeFilter(filter),
    noun: orderTexts.noun,
    columns: columnsOf(known),
    rows: orders,
    isComplete,
  });
  return (
    <PrintButton
      loaded={(): Printout<Order> => {
        const { status } = filter;
        const { items } = list.rows;
        const shown = items.filter((order) => status === undefined || order.status === status);
        return printoutOf(shown, list.state.peek() === 'complete', names);
      }}
      readAll={async (signal) => {
        const orders = await list.readAll(signal);
        return printoutOf(orders, true, await readAllNames(orders, signal));
      }}
    />
  );
}

function describeFilter({ status, search }: OrderFilter): readonly string[] {
  return [
    ...(status === undefined ? [] : [texts.status(statusName(status))]),
    ...(search === undefined ? [] : [texts.search(search)]),
  ];
}

function columnsOf(names: Names): readonly PrintColumn<Order>[] {
  return [
    { heading: common.number, text: ({ id }) => String(id), isOneLine: true },
    {
      heading: orderTexts.animal,
      text: ({ petId }) => animalName({ id: petId, name: names.get(petId) }),
    },
    { heading: draftTexts.note, text: ({ note = '' }) => note },
    { heading: orderTexts.date, text: describeDate, isOneLine: true },
    { heading: common.status, text: ({ status }) => statusName(status), isOneLine: true },
  ];
}

/** The last day of a reservation, or the day when the animal was handed over. */
function describeDate({ shipDate, status, complete }: Order): string {
  if (shipDate === undefined) return '';
  if (status === 'pending') return untilText(shipDate, reservationTexts.until);
  return complete ? formatDay(shipDate) : '';
}

async function readAllNames(orders: readonly Order[], signal: AbortSignal): Promise<Names> {
  const names = new Map<bigint, string>();
  if (!hasScope('pets:read')) return names;
  const ids = [...new Set(orders.map(({ petId }) => petId))];
  for (const part of splitIds(ids)) {
    const found = await readNames(part, signal);
    for (const [id, name] of found) names.set(id, name);
  }
  return names;
}
