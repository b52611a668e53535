import type { Pet } from '../../../client/src/contract.ts';
import { hasScope } from '../api/session.ts';
import { categoryName } from '../categories/categories-state.ts';
import type { RecordList } from '../lists/record-list.ts';
import { dateText } from '../orders/order-facts.tsx';
import { readReservations } from '../orders/reservations.tsx';
import { PrintButton, type PrintColumn } from '../parts/print.tsx';
import { texts as animalTexts } from '../texts/animals.ts';
import { common, frame } from '../texts/common.ts';
import { draftTexts, reservationTexts } from '../texts/orders.ts';
import { texts } from '../texts/print.ts';
import { statusName } from '../texts/status.ts';
import type { Filter, Match, Order } from './filter.ts';

const nameOfCategory = (id: bigint) => categoryName(id) ?? String(id);

const columns: readonly PrintColumn<Pet>[] = [
  { heading: common.number, text: ({ id }) => String(id), isOneLine: true },
  { heading: common.name, text: ({ name }) => name },
  { heading: common.category, text: ({ categoryId }) => nameOfCategory(categoryId) },
  { heading: common.status, text: ({ status }) => statusName(status), isOneLine: true },
];

/** Prints the animals of the list. */
export function PrintAnimals(props: {
  readonly list: RecordList<Pet>;
  readonly filter: Filter;
  readonly order: Order;
  readonly matches: Match;
}) {
  const { list, filter, order, matches } = props;
  const { status, name, categoryId } = filter;
  return (
    <PrintButton
      list={list}
      title={frame.titles.animals}
      filters={[
        ...(status === undefined ? [] : [texts.status(statusName(status))]),
        ...(name === undefined ? [] : [texts.search(name)]),
        ...(categoryId === undefined ? [] : [texts.category(nameOfCategory(categoryId))]),
        animalTexts.orders[order],
      ]}
      kind="pet"
      isPrinted={matches}
      columns={columns}
      ways={[
        // It may hang on a wall, where no name and telephone number of a family belongs.
        { text: texts.withoutPeople, readColumns: async () => columns },
        ...(hasScope('orders:read')
          ? [
              {
                text: texts.withPeople,
                readColumns: async (pets: readonly Pet[], signal: AbortSignal) => [
                  ...columns,
                  ...(await reservedColumns(pets, signal)),
                ],
              },
            ]
          : []),
      ]}
    />
  );
}

/** For whom reserved animals are, and until when. None if no animal is reserved. */
async function reservedColumns(
  pets: readonly Pet[],
  signal: AbortSignal,
): Promise<readonly PrintColumn<Pet>[]> {
  const reserved = pets.filter(({ status }) => status === 'pending').map(({ id }) => id);
  if (reserved.length === 0) return [];
  const orders = await readReservations(reserved, signal);
  return [
    {
      heading: draftTexts.note,
      text({ id }) {
        const order = orders.get(id);
        if (order === undefined) return '';
        // Without a note, the order is named as in the list.
        return order === 'none'
          ? reservationTexts.none
          : order.note?.trim() || reservationTexts.order(order.id);
      },
    },
    {
      heading: draftTexts.until,
      isOneLine: true,
      text({ id }) {
        const order = orders.get(id);
        return typeof order === 'object' ? dateText({ order, phrase: (day) => day }) : '';
      },
    },
  ];
}
