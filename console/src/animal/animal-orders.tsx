import type { Order, Pet } from '../../../client/src/contract.ts';
import { hasScope } from '../api/session.ts';
import { EditOrder } from '../orders/edit-order.tsx';
import { Until } from '../orders/order-facts.tsx';
import { Button } from '../parts/controls.tsx';
import { useDialog } from '../parts/dialog.tsx';
import { formatDay, formatTime, Loading, RowActions, Status } from '../parts/display.tsx';
import { orderTexts as texts } from '../texts/animal.ts';
import { animalName } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { orderName, reservationTexts } from '../texts/orders.ts';
import type { useOrders } from './use-orders.ts';

/** The orders of an animal, newest first. */
export function AnimalOrders(props: {
  readonly pet: Pet;
  readonly orders: ReturnType<typeof useOrders>;
}) {
  const { state, read, readOlder } = props.orders;
  const animal = animalName(props.pet);
  const { dialog, open } = useDialog({
    edit: (order: Order) => <EditOrder order={order} animal={animal} />,
  });
  return (
    <section aria-labelledby="orders">
      <h2 id="orders">{texts.title}</h2>
      {state.is === 'none' && <p>{texts.notAllowed}</p>}
      {state.is === 'loading' && <Loading />}
      {state.is === 'failed' && (
        <>
          <p role="alert">{state.message}</p>
          <Button onClick={read}>{common.tryAgain}</Button>
        </>
      )}
      {state.is === 'read' && (
        <>
          {state.orders.length === 0 && <p>{texts.none}</p>}
          <ul class="orders-of">
            {state.orders.map((order) => (
              <li key={String(order.id)}>
                <OrderFactsLine order={order} />
                {hasScope('orders:write') && (
                  <RowActions
                    of={orderName(order.id, animal)}
                    actions={[{ text: common.edit, run: () => open('edit', order) }]}
                  />
                )}
              </li>
            ))}
          </ul>
          {state.hasMore && <Button onClick={() => void readOlder()}>{texts.older}</Button>}
        </>
      )}
      {dialog}
    </section>
  );
}

/** An order with its whole note. */
function OrderFactsLine({ order }: { readonly order: Order }) {
  const { id, status, shipDate, note } = order;
  return (
    <>
      <span>{texts.order(id)}</span>
      <Status status={status} />
      {shipDate !== undefined && <span>{showDate(status, shipDate)}</span>}
      {note !== undefined && (
        <span class="note" dir="auto">
          {note}
        </span>
      )}
    </>
  );
}

/** The last day of a reservation, or the time when the animal was handed over. */
function showDate(status: string, shipDate: string) {
  if (status === 'shipped') return formatTime(shipDate, 'short');
  const { until } = reservationTexts;
  return status === 'pending' ? (
    <Until shipDate={shipDate} phrase={until} />
  ) : (
    until(formatDay(shipDate))
  );
}
