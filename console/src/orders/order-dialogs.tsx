import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Order } from '../../../client/src/contract.ts';
import { changeAsShown } from '../api/as-shown.ts';
import { rereadAnimal } from '../api/reread.ts';
import { currentApi } from '../api/session.ts';
import { FormDialog, useForm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import type { Undo } from '../parts/undo.ts';
import { common } from '../texts/common.ts';
import { cancelTexts, handOverTexts, orderName, refusalOf } from '../texts/orders.ts';
import { OrderFacts } from './order-facts.tsx';
import { type OrderChanged, undoCancellation, undoHandOver } from './undo-order.ts';

interface OrderDialogProps {
  readonly order: Order;
  /** The name and number of its animal. */
  readonly animal: string;
}

/** Gives a reserved animal to its new owner. */
export function HandOver(props: OrderDialogProps) {
  /** A retry sends the same time. */
  const attempt = useRef({ ifMatch: '', shipDate: '' });
  return (
    <OrderChange
      {...props}
      words={handOverTexts}
      kind="main"
      send={({ id }, options) => {
        const { ifMatch } = options;
        if (attempt.current.ifMatch !== ifMatch) {
          attempt.current = { ifMatch, shipDate: new Date().toISOString() };
        }
        const { shipDate } = attempt.current;
        return currentApi().orders.update(id, { status: 'shipped', shipDate }, options);
      }}
      undoOf={undoHandOver}
    />
  );
}

export function CancelReservation(props: OrderDialogProps) {
  return (
    <OrderChange
      {...props}
      words={cancelTexts}
      kind="danger"
      send={async ({ id }, options) => {
        await currentApi().orders.cancel(id, options);
        return currentApi().orders.update(id, {});
      }}
      undoOf={undoCancellation}
    />
  );
}

interface OrderChangeProps extends OrderDialogProps {
  readonly words: typeof handOverTexts | typeof cancelTexts;
  readonly kind: 'main' | 'danger';
  readonly send: (
    order: Order,
    options: { readonly ifMatch: string; readonly idempotencyKey: string },
  ) => Promise<Order>;
  readonly undoOf: (before: Order, changed: OrderChanged) => Undo | undefined;
}

/** Closes a pending order, as the dialog shows it. If another user has changed it, it is shown again first. */
function OrderChange({ order, animal, words, kind, send, undoOf }: OrderChangeProps) {
  const shown = useSignal(order);
  const name = orderName(order.id, animal);
  const form = useForm(
    {},
    () => ({}),
    async (_draft, idempotencyKey) => {
      const before = shown.peek();
      const changed = await changeAsShown(before, {
        send: (ifMatch) => send(before, { ifMatch, idempotencyKey }),
        // An empty change returns the order with its version.
        read: () => currentApi().orders.update(order.id, {}),
        changed(now) {
          shown.value = now ?? before;
          throw new Error(refusalOf(name, now?.status));
        },
      });
      const now = await rereadAnimal(order.petId);
      showNotice(words.done(name), undoOf(before, { order: changed, animal, now }));
      form.close();
    },
    common.slowRetry,
  );
  const isPending = shown.value.status === 'pending';
  return (
    <FormDialog
      title={isPending ? words.question(name) : name}
      action={form.action}
      submit={isPending ? words.submit : undefined}
      cancel={isPending ? words.keep : common.close}
      kind={kind}
      focus={kind === 'main' ? 'submit' : 'cancel'}
    >
      <OrderFacts order={shown.value} />
      {isPending && <p>{words.hint}</p>}
    </FormDialog>
  );
}
