import type { Pet } from '../../../client/src/contract.ts';
import { EditAnimal } from '../animals/edit-animal.tsx';
import { Sale } from '../animals/sale.tsx';
import { hasScope } from '../api/session.ts';
import { useDialog } from '../parts/dialog.tsx';
import { type RowAction, RowActions } from '../parts/display.tsx';
import { releaseTexts } from '../texts/animal.ts';
import { animalName, saleTexts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { Release } from './release.tsx';
import { type OrdersState, openOrderOf } from './use-orders.ts';

/** What can be done with an animal: the same dialogs as in the list. */
export function AnimalActions(props: { readonly pet: Pet; readonly orders: OrdersState }) {
  const { pet, orders } = props;
  const animal = animalName(pet);
  const { dialog, open } = useDialog({
    sell: () => <Sale pet={pet} isSale />,
    reserve: () => <Sale pet={pet} isSale={false} />,
    release: (isSale: boolean) => <Release pet={pet} isSale={isSale} />,
    edit: () => <EditAnimal pet={pet} />,
    delete: () => <EditAnimal pet={pet} isDeletion />,
  });
  const actions: RowAction[] = [];
  const canWrite = hasScope('pets:write');
  const canOrder = hasScope('orders:write');
  const openOrder = openOrderOf(orders);
  if (pet.status === 'available' && canOrder) {
    actions.push({ text: saleTexts.sell.action, run: () => open('sell') });
    actions.push({ text: saleTexts.reserve.action, run: () => open('reserve') });
  }
  if (
    pet.status === 'pending' &&
    orders.is === 'read' &&
    orders.isCurrent &&
    openOrder === undefined &&
    canWrite
  ) {
    actions.push({ text: releaseTexts.sell.action, run: () => open('release', true) });
    actions.push({ text: releaseTexts.cancel.action, run: () => open('release', false) });
  }
  if (canWrite) {
    actions.push({ text: common.edit, run: () => open('edit') });
    actions.push({ text: common.deleteWithQuestion, run: () => open('delete') });
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
