import type { Order, Pet } from '../../../client/src/contract.ts';
import { DeleteAnimal, EditAnimal } from '../animals/edit-animal.tsx';
import { Sale } from '../animals/sale.tsx';
import { hasScope } from '../api/session.ts';
import { CancelReservation, HandOver } from '../orders/order-dialogs.tsx';
import { useDialog } from '../parts/dialog.tsx';
import { type RowAction, RowActions } from '../parts/display.tsx';
import { releaseTexts } from '../texts/animal.ts';
import { animalName, saleTexts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { cancelTexts, handOverTexts } from '../texts/orders.ts';
import { Release } from './release.tsx';
import { type Orders, openOrderOf } from './use-orders.ts';

/** What can be done with an animal: the same dialogs as in the list. */
export function AnimalActions(props: { readonly pet: Pet; readonly orders: Orders }) {
  const { pet, orders } = props;
  const animal = animalName(pet);
  // A dialog keeps the animal with which it was opened, and finds later changes by itself.
  const { dialog, open } = useDialog({
    sell: (of: Pet) => <Sale pet={of} isSale />,
    reserve: (of: Pet) => <Sale pet={of} isSale={false} />,
    handOver: (order: Order) => <HandOver order={order} animal={animal} />,
    cancel: (order: Order) => <CancelReservation order={order} animal={animal} />,
    release: (of: Pet, isSale: boolean) => <Release pet={of} isSale={isSale} />,
    edit: (of: Pet) => <EditAnimal pet={of} />,
    delete: (of: Pet) => <DeleteAnimal pet={of} />,
  });
  const actions: RowAction[] = [];
  const canWrite = hasScope('pets:write');
  const canOrder = hasScope('orders:write');
  const openOrder = openOrderOf(orders);
  if (pet.status === 'available' && canOrder) {
    actions.push({ text: saleTexts.sell.action, run: () => open('sell', pet) });
    actions.push({ text: saleTexts.reserve.action, run: () => open('reserve', pet) });
  } else if (pet.status === 'pending' && openOrder !== undefined && canOrder) {
    actions.push({ text: handOverTexts.action, run: () => open('handOver', openOrder) });
    actions.push({ text: cancelTexts.action, run: () => open('cancel', openOrder) });
  } else if (pet.status === 'pending' && orders.isCurrent && openOrder === undefined && canWrite) {
    actions.push({ text: releaseTexts.sell.action, run: () => open('release', pet, true) });
    actions.push({ text: releaseTexts.cancel.action, run: () => open('release', pet, false) });
  }
  if (canWrite) {
    actions.push({ text: common.edit, run: () => open('edit', pet) });
    actions.push({ text: common.deleteWithQuestion, run: () => open('delete', pet) });
  }
  return (
    <>
      <div class="actions">
        <RowActions of={animal} actions={actions} />
      </div>
      {dialog}
    </>
  );
}
