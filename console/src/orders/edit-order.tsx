import type { Order } from '../../../client/src/contract.ts';
import { currentApi } from '../api/session.ts';
import { formatDay } from '../parts/display.tsx';
import { EditDialog } from '../parts/edit.tsx';
import { showNotice } from '../parts/notices.tsx';
import { draftTexts, editTexts, orderName, refusalOf } from '../texts/orders.ts';
import { changeOf, draftOf, faultsOf } from './order-draft.ts';
import { OrderFields } from './order-fields.tsx';
import { undoEdit } from './undo-order.ts';

/** Changes the note of an order, and the day of a pending one. */
export function EditOrder(props: {
  readonly order: Order;
  /** The name and number of its animal. */
  readonly animal: string;
}) {
  const { id } = props.order;
  const name = orderName(id, props.animal);
  return (
    <EditDialog
      title={editTexts.title(name)}
      row={props.order}
      draftOf={draftOf}
      faultsOf={(draft, base) => faultsOf(draft, draftOf(base))}
      isSame={(draft, row) => Object.keys(changeOf(draft, row)).length === 0}
      describe={({ note, until }, { status }) => [
        [draftTexts.note, note],
        // Only a pending order can get another day.
        ...(status === 'pending' ? [[draftTexts.until, showDay(until)] as const] : []),
      ]}
      save={(draft, base, options) =>
        currentApi().orders.update(id, changeOf(draft.peek(), base), options)
      }
      // An empty change returns the order with its version.
      read={() => currentApi().orders.update(id, {})}
      refusalOf={(now) => refusalOf(name, now?.status)}
      onSaved={(saved, before) => showNotice(editTexts.saved(name), undoEdit(before, saved, name))}
    >
      {(form, { status }) => <OrderFields form={form} hasDay={status === 'pending'} autofocus />}
    </EditDialog>
  );
}

function showDay(day: string): string {
  return day === '' ? '' : formatDay(`${day}T12:00`);
}
