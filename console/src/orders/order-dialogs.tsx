import { useSignal } from '@preact/signals';
import { useContext, useRef } from 'preact/hooks';
import type { Order } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import type { ChangeOptions } from '../../../client/src/store.ts';
import { rereadAnimal } from '../api/reread.ts';
import { type Api, newIdempotencyKey } from '../api/service.ts';
import { useApi } from '../api/session.ts';
import { useAction } from '../parts/action.ts';
import { Button } from '../parts/controls.tsx';
import { CloseDialog, Dialog, FormDialog } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import type { Undo } from '../parts/undo.ts';
import { common } from '../texts/common.ts';
import { cancelTexts, handOverTexts, orderName, texts } from '../texts/orders.ts';
import { OrderFacts } from './order-facts.tsx';
import { type OrderChanged, undoCancellation, undoHandOver } from './undo-order.ts';

interface OrderDialogProps {
  readonly order: Order;
  /** The name and number of its animal. */
  readonly animal: string;
}

/** Gives a reserved animal to its new owner. */
export function HandOver(props: OrderDialogProps) {
  return (
    <OrderChange
      {...props}
      words={handOverTexts}
      kind="main"
      send={({ orders }, { version, sentAt }, options) =>
        orders.update(version.id, { status: 'shipped', shipDate: sentAt }, options)
      }
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
      send={async ({ orders }, { version }, options) => {
        await orders.cancel(version.id, options);
        return { ...version, status: 'cancelled' };
      }}
      undoOf={undoCancellation}
    />
  );
}

/** A change that was sent. Its answer may have been lost, so a retry sends the same again. */
interface Attempt {
  readonly version: Order;
  readonly sentAt: string;
  readonly idempotencyKey: string;
}

interface OrderChangeProps extends OrderDialogProps {
  readonly words: typeof handOverTexts | typeof cancelTexts;
  readonly kind: 'main' | 'danger';
  readonly send: (sessionApi: Api, attempt: Attempt, options: ChangeOptions) => Promise<Order>;
  readonly undoOf: (before: Order, changed: OrderChanged) => Undo | undefined;
}

/** Closes a pending order, as the dialog shows it. If another user has changed it, it is shown again first. */
function OrderChange(props: OrderChangeProps) {
  const { animal, words, kind } = props;
  const { shown, isChanged, action } = useOrderChange(props);
  const { id, status } = shown;
  const close = useContext(CloseDialog);
  if (status !== 'pending') {
    return (
      <Dialog title={orderName(id, animal)}>
        <p role="alert" class="question">
          {texts.isClosed(status)}
        </p>
        <OrderFacts order={shown} />
        <footer>
          <Button kind="main" onClick={close} autofocus>
            {common.close}
          </Button>
        </footer>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={words.question(orderName(id, animal))}
      action={action}
      submit={words.submit}
      cancel={words.keep}
      kind={kind}
      focus={kind === 'main' ? 'submit' : 'cancel'}
    >
      {isChanged && (
        <p role="alert" class="question">
          {texts.changedByOther}
        </p>
      )}
      <OrderFacts order={shown} />
      <p>{words.hint}</p>
    </FormDialog>
  );
}

function useOrderChange({ order, animal, words, send, undoOf }: OrderChangeProps) {
  const sessionApi = useApi();
  const close = useContext(CloseDialog);
  const shown = useSignal(order);
  const isChanged = useSignal(false);
  const attempt = useRef<Attempt | undefined>(undefined);

  /** The order with its version, if it is as the dialog shows it. Otherwise the dialog shows the current order. */
  async function readVersion(): Promise<Order | undefined> {
    // An empty change returns the order with its version.
    const now = await sessionApi.orders.update(order.id, {});
    if (isSameOrder(now, shown.peek())) return now;
    shown.value = now;
    isChanged.value = true;
    const name = orderName(order.id, animal);
    action.throwIfUnmounted(
      now.status === 'pending' ? texts.notChanged(name) : texts.isClosedNow(name, now.status),
    );
    return undefined;
  }

  const action = useAction(async () => {
    if (attempt.current === undefined) {
      const version = await readVersion();
      if (version === undefined) return;
      attempt.current = {
        version,
        sentAt: new Date().toISOString(),
        idempotencyKey: newIdempotencyKey(),
      };
    }
    const { version, idempotencyKey } = attempt.current;
    let changed: Order;
    try {
      const options = { ifMatch: version, idempotencyKey };
      changed = await send(sessionApi, attempt.current, options);
    } catch (error) {
      if (!isAnimalStoreError(error, 'precondition_failed')) throw error;
      attempt.current = undefined;
      // The order may be as it was again.
      if ((await readVersion()) !== undefined) isChanged.value = true;
      return;
    }
    const now = await rereadAnimal(order.petId, sessionApi);
    const undo = undoOf(version, { sessionApi, order: changed, animal, now });
    showNotice(words.done(orderName(order.id, animal)), undo);
    close();
  }, common.slowRetry);
  return { shown: shown.value, isChanged: isChanged.value, action };
}

function isSameOrder(left: Order, right: Order): boolean {
  return (
    left.status === right.status && left.note === right.note && left.shipDate === right.shipDate
  );
}
