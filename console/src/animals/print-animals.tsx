import type { Pet, Order as PetOrder } from '../../../client/src/contract.ts';
import { splitIds } from '../api/ids.ts';
import { currentApi, hasScope } from '../api/session.ts';
import { categoryName } from '../categories/categories-state.ts';
import type { RecordList } from '../lists/record-list.ts';
import { untilText } from '../orders/order-facts.tsx';
import { PrintButton, type PrintColumn, type Printout } from '../parts/print.tsx';
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
  const printoutOf = (rows: readonly Pet[], isComplete: boolean): Printout<Pet> => ({
    title: frame.titles.animals,
    filters: [...describeFilter(filter), animalTexts.orders[order]],
    noun: animalTexts.noun,
    columns,
    rows,
    isComplete,
  });
  return (
    <PrintButton
      loaded={() => {
        const { items, gone } = list.rows;
        const shown = items.filter((pet) => !gone.has(pet.id) && matches(pet));
        return printoutOf(shown, list.state.peek() === 'complete');
      }}
      readAll={async (signal) => {
        const pets = await list.readAll(signal);
        const printout = printoutOf(pets, true);
        if (!hasScope('orders:read')) return printout;
        return { ...printout, columns: [...columns, ...(await reservedColumns(pets, signal))] };
      }}
    />
  );
}

function describeFilter({ status, name, categoryId }: Filter): readonly string[] {
  return [
    ...(status === undefined ? [] : [texts.status(statusName(status))]),
    ...(name === undefined ? [] : [texts.search(name)]),
    ...(categoryId === undefined ? [] : [texts.category(nameOfCategory(categoryId))]),
  ];
}

/** For whom reserved animals are, and until when. None if no animal is reserved. */
async function reservedColumns(
  pets: readonly Pet[],
  signal: AbortSignal,
): Promise<readonly PrintColumn<Pet>[]> {
  const reserved = pets.filter(({ status }) => status === 'pending').map(({ id }) => id);
  const orders = new Map<bigint, PetOrder>();
  for (const petId of splitIds(reserved)) {
    const query = { status: 'pending', petId, limit: petId.length } as const;
    for await (const order of currentApi().orders.list(query, { signal })) {
      orders.set(order.petId, order);
    }
  }
  if (reserved.length === 0) return [];
  return [
    {
      heading: draftTexts.note,
      text: ({ id, status }) => (status === 'pending' ? describeOrder(orders.get(id)) : ''),
    },
    {
      heading: draftTexts.until,
      isOneLine: true,
      text: ({ id }) => {
        const shipDate = orders.get(id)?.shipDate;
        return shipDate === undefined ? '' : untilText(shipDate);
      },
    },
  ];
}

/** For whom an animal is reserved. Without a note, its order is named as in the list. */
function describeOrder(order: PetOrder | undefined): string {
  if (order === undefined) return reservationTexts.none;
  return order.note?.trim() || reservationTexts.order(order.id);
}
