import type { Order } from '../../../client/src/contract.ts';
import { hasScope } from '../api/session.ts';
import type { RecordList } from '../lists/record-list.ts';
import { PrintButton, type PrintColumn } from '../parts/print.tsx';
import type { Lookup } from '../tables/of-rows.ts';
import { animalName } from '../texts/animals.ts';
import { common, frame } from '../texts/common.ts';
import { draftTexts, texts as orderTexts } from '../texts/orders.ts';
import { texts } from '../texts/print.ts';
import { statusName } from '../texts/status.ts';
import { readNames } from './animal-names.ts';
import { dateText } from './order-facts.tsx';
import type { OrderFilter } from './order-filter.ts';

/** Prints the orders of the list. */
export function PrintOrders(props: {
  readonly list: RecordList<Order>;
  readonly filter: OrderFilter;
  /** Of the animals of the orders that are loaded. */
  readonly names: Lookup<string>;
}) {
  const { list, filter, names } = props;
  const { status, search } = filter;
  return (
    <PrintButton
      list={list}
      title={frame.titles.orders}
      filters={[
        ...(status === undefined ? [] : [texts.status(statusName(status))]),
        ...(search === undefined ? [] : [texts.search(search)]),
      ]}
      kind="order"
      isPrinted={(order) => status === undefined || order.status === status}
      columns={columnsOf(names)}
      ways={[
        {
          text: texts.print,
          async readColumns(orders, signal) {
            if (!hasScope('pets:read')) return columnsOf(new Map());
            const ids = new Set(orders.map(({ petId }) => petId));
            return columnsOf(await readNames([...ids], signal));
          },
        },
      ]}
    />
  );
}

function columnsOf(names: Lookup<string>): readonly PrintColumn<Order>[] {
  return [
    { heading: common.number, text: ({ id }) => String(id), isOneLine: true },
    {
      heading: orderTexts.animal,
      text: ({ petId }) => animalName({ id: petId, name: names.get(petId) }),
    },
    { heading: draftTexts.note, text: ({ note = '' }) => note },
    { heading: orderTexts.date, text: (order) => dateText({ order }), isOneLine: true },
    { heading: common.status, text: ({ status }) => statusName(status), isOneLine: true },
  ];
}
