import type { Order, Pet } from '../../../client/src/contract.ts';
import { Button } from '../parts/controls.tsx';
import { formatTime, Loading, Status } from '../parts/display.tsx';
import { orderTexts as texts } from '../texts/animal.ts';
import { common } from '../texts/common.ts';
import type { useOrders } from './use-orders.ts';

/** The orders of an animal, newest first. */
export function AnimalOrders(props: {
  readonly pet: Pet;
  readonly orders: ReturnType<typeof useOrders>;
}) {
  const { state, read, readOlder } = props.orders;
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
              <OrderRow key={String(order.id)} order={order} />
            ))}
          </ul>
          {state.hasMore && <Button onClick={readOlder}>{texts.older}</Button>}
        </>
      )}
    </section>
  );
}

function OrderRow({ order }: { readonly order: Order }) {
  const { id, status, shipDate, note } = order;
  return (
    <li>
      <h3>
        {texts.order(id)} <Status status={status} />
      </h3>
      {shipDate !== undefined && <p>{formatTime(shipDate)}</p>}
      {note !== undefined && <p class="note">{note}</p>}
    </li>
  );
}
