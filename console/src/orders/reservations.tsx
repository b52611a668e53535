import type { Order, Pet } from '../../../client/src/contract.ts';
import { tagOf } from '../api/changes.ts';
import { splitIds } from '../api/ids.ts';
import { currentApi, hasScope } from '../api/session.ts';
import { useOfRows } from '../tables/of-rows.ts';
import { reservationTexts as texts } from '../texts/orders.ts';
import { Reservation } from './order-facts.tsx';

/** The order that reserves an animal. `none` if its status was set without an order. */
export type Reserved = Order | 'none';

/** The reservations of the animals of these pages. */
export function useReservations(pages: readonly (readonly Pet[])[]) {
  return useOfRows<Pet, Reserved>(pages, (pets) => {
    const ids = pets.map(({ id }) => id);
    return {
      key: ['reservations', ids.join()],
      isEnabled: hasScope('orders:read') && pets.some(({ status }) => status === 'pending'),
      read: (signal) => readReservations(ids, signal),
      tags: () => ids.map((id) => tagOf('orders-of', id)),
    };
  });
}

/** The open orders of these animals. */
export async function readReservations(
  petIds: readonly bigint[],
  signal: AbortSignal,
): Promise<ReadonlyMap<bigint, Reserved>> {
  const found = new Map<bigint, Reserved>(petIds.map((id) => [id, 'none']));
  for (const petId of splitIds(petIds)) {
    const query = { status: 'pending', petId, limit: 100 } as const;
    const orders = await currentApi().orders.list(query, { signal }).toArray({ max: 100 });
    for (const order of orders) found.set(order.petId, order);
  }
  return found;
}

/** For whom an animal is reserved, and until when, in its row. */
export function ReservedFor(props: {
  readonly petId: bigint;
  readonly reservations: ReturnType<typeof useReservations>;
}) {
  const { found, hasFailed } = props.reservations;
  const order = found.get(props.petId);
  if (typeof order === 'object') return <Reservation order={order} />;
  if (order === undefined && !hasFailed) return null;
  const text = order === 'none' ? texts.none : texts.failed;
  return (
    <span class="reservation" title={text}>
      <span>{text}</span>
    </span>
  );
}
