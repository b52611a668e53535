import { useSignal } from '@preact/signals';
import type { Order } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { useApi } from '../api/session.ts';
import { Conflict } from '../parts/conflict.tsx';
import { Dialog, FormDialog, useForm } from '../parts/dialog.tsx';
import { formatDay } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { common } from '../texts/common.ts';
import { draftTexts, editTexts, orderName, texts } from '../texts/orders.ts';
import { changeOf, draftOf, faultsOf, isSameDraft, type OrderDraft } from './order-draft.ts';
import { OrderFields } from './order-fields.tsx';
import { undoEdit } from './undo-order.ts';

interface EditOrderProps {
  readonly order: Order;
  /** The name and number of its animal. */
  readonly animal: string;
}

/** Changes the note of an order, and the day of a pending one. If another user changed it too, this user chooses. */
export function EditOrder({ order, animal }: EditOrderProps) {
  const { form, base, conflict, acceptNow } = useEdit(order, animal);
  const title = editTexts.title(orderName(order.id, animal));
  const draft = form.draft.value;
  if (conflict !== undefined) {
    return (
      <Dialog title={title} isBusy={form.action.isRunning} isDirty>
        <Conflict
          message={editTexts.conflict}
          rows={conflictRows(draft, conflict)}
          onMine={() => {
            acceptNow(conflict, draft);
            form.action.run();
          }}
          onTheirs={() => acceptNow(conflict, draftOf(conflict))}
        >
          {conflict.status !== 'pending' && <p>{texts.isClosed(conflict.status)}</p>}
        </Conflict>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={title}
      action={form.action}
      submit={common.save}
      submitting={common.saving}
      isDirty={!isSameDraft(draft, draftOf(base))}
    >
      <OrderFields form={form} hasDay={base.status === 'pending'} autofocus />
    </FormDialog>
  );
}

function useEdit(order: Order, animal: string) {
  const sessionApi = useApi();
  /** The version that the form is based on. */
  const base = useSignal(order);
  const conflict = useSignal<Order | undefined>(undefined);
  /** What an attempt without an answer may have saved. */
  const attempted = useSignal<OrderDraft | undefined>(undefined);
  const name = orderName(order.id, animal);

  const form = useForm(
    draftOf(order),
    (draft) => faultsOf(draft, draftOf(base.value)),
    async (draft, idempotencyKey): Promise<void> => {
      const isUnsent = attempted.peek() === undefined;
      if (isUnsent && isSameDraft(draft, draftOf(base.peek()))) return form.close();
      // An empty change returns the order with its version.
      const version = await sessionApi.orders.update(order.id, {});
      if (!isAsExpected(version)) return showConflict(version);
      attempted.value = draft;
      const change = changeOf(draft, draftOf(version));
      let saved = version;
      try {
        const options = { ifMatch: version, idempotencyKey };
        if (Object.keys(change).length > 0) {
          saved = await sessionApi.orders.update(order.id, change, options);
        }
      } catch (error) {
        if (!isAnimalStoreError(error, 'precondition_failed')) throw error;
        return showConflict(await sessionApi.orders.update(order.id, {}));
      }
      showNotice(editTexts.saved(name), undoEdit(sessionApi, base.peek(), saved, name));
      form.close();
    },
    common.slowRetry,
  );

  /** Whether an order is as the form began, or as an earlier attempt of this form saved it. */
  function isAsExpected(version: Order): boolean {
    const before = base.peek();
    if (version.status !== before.status) return false;
    const known = [draftOf(before), attempted.peek()];
    return known.some((draft) => draft !== undefined && isSameDraft(draft, draftOf(version)));
  }

  function showConflict(now: Order): void {
    form.action.throwIfUnmounted(texts.notChanged(name));
    const draft = rebase(form.draft.peek(), draftOf(base.peek()), now);
    form.draft.value = draft;
    // Nothing is left to choose, for example because both users wrote the same.
    if (isSameDraft(draft, draftOf(now))) acceptNow(now, draft);
    else conflict.value = now;
  }

  function acceptNow(now: Order, draft: OrderDraft): void {
    base.value = now;
    attempted.value = undefined;
    conflict.value = undefined;
    form.draft.value = draft;
    form.renewKey();
  }

  return { form, base: base.value, conflict: conflict.value, acceptNow };
}

/** What the user has changed since `before`, on top of what the order is now. Only a pending order can get another day. */
function rebase(draft: OrderDraft, before: OrderDraft, now: Order): OrderDraft {
  const current = draftOf(now);
  const keepsDay = draft.until === before.until || now.status !== 'pending';
  return {
    note: draft.note === before.note ? current.note : draft.note,
    until: keepsDay ? current.until : draft.until,
  };
}

/** What the form has beside the order now. Only a pending order can get another day. */
function conflictRows(mine: OrderDraft, now: Order) {
  const theirs = draftOf(now);
  const note = {
    heading: draftTexts.note,
    mine: mine.note,
    theirs: theirs.note,
    isSame: mine.note === theirs.note,
    class: 'note',
  };
  const day = {
    heading: draftTexts.until,
    mine: showDay(mine.until),
    theirs: showDay(theirs.until),
    isSame: mine.until === theirs.until,
  };
  return now.status === 'pending' ? [note, day] : [note];
}

function showDay(day: string): string {
  return day === '' ? '' : formatDay(`${day}T12:00`);
}
