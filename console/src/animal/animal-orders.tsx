import type { Order, Pet } from '../../../client/src/contract.ts';
import { hasScope } from '../api/session.ts';
import { EditOrder } from '../orders/edit-order.tsx';
import { OrderDate } from '../orders/order-facts.tsx';
import { PageActions } from '../parts/actions.tsx';
import { useDialog } from '../parts/dialog.tsx';
import { Status } from '../parts/display.tsx';
import { PageList } from '../parts/page-list.tsx';
import { orderTexts as texts } from '../texts/animal.ts';
import { animalName } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { orderName } from '../texts/orders.ts';
import type { Orders } from './use-orders.ts';

/** The orders of an animal, newest first. */
export function AnimalOrders(props: { readonly pet: Pet; readonly orders: Orders }) {
  const animal = animalName(props.pet);
  const { dialog, open } = useDialog({
    edit: (order: Order) => <EditOrder order={order} animal={animal} />,
  });
  return (
    <>
      <h2>{texts.title}</h2>
      {hasScope('orders:read') ? (
        <PageList
          pages={props.orders}
          label={texts.title}
          class="orders-of"
          readFailed={texts.readFailed}
        >
          {(orders) => (
            <>
              {orders.length === 0 && <p>{texts.none}</p>}
              <ul>
                {orders.map((order) => (
                  <li key={order.id}>
                    <OrderLine order={order} />
                    {hasScope('orders:write') && (
                      <PageActions
                        of={orderName(order.id, animal)}
                        actions={[{ text: common.edit, run: () => open('edit', order) }]}
                      />
                    )}
                  </li>
                ))}
              </ul>
            </>
          )}
        </PageList>
      ) : (
        <p>{texts.notAllowed}</p>
      )}
      {dialog}
    </>
  );
}

/** An order with its whole note. */
function OrderLine({ order }: { readonly order: Order }) {
  const { id, status, note } = order;
  return (
    <>
      <span>{texts.order(id)}</span>
      <Status status={status} />
      <span>
        <OrderDate order={order} />
      </span>
      {note !== undefined && (
        <span class="note" dir="auto">
          {note}
        </span>
      )}
    </>
  );
}
