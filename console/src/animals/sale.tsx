import type { Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { emptyDraft, faultsOf, membersOf } from '../orders/order-draft.ts';
import { OrderFields } from '../orders/order-fields.tsx';
import { placeOrder } from '../orders/placing.ts';
import { undoReservation, undoSale } from '../orders/undo-order.ts';
import { FormDialog, useForm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { animalName, saleTexts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';

/** Sells or reserves an animal. Both place an order; a sale also hands it over. */
export function Sale(props: { readonly pet: Pet; readonly isSale: boolean }) {
  const { pet, isSale } = props;
  const { question, yes, hint, done } = isSale ? saleTexts.sell : saleTexts.reserve;
  const animal = animalName(pet);
  const form = useForm(
    emptyDraft,
    (draft) => faultsOf(draft),
    async (draft, idempotencyKey) => {
      const members = { petId: pet.id, ...membersOf(draft) };
      // After a refusal, another attempt is another sale.
      const placed = await placeOrder(members, animal, idempotencyKey, isSale).catch((error) => {
        if (!isAnimalStoreError(error)) form.renewKey();
        throw error;
      });
      const undoOf = isSale ? undoSale : undoReservation;
      showNotice(done(animal, placed.order.id), undoOf({ ...placed, animal }));
      form.close();
    },
    common.slowRetry,
  );
  return (
    <FormDialog
      title={question(animal)}
      action={form.action}
      submit={yes}
      isDirty={form.isDirty}
      focus={isSale ? 'submit' : undefined}
    >
      <OrderFields form={form} hasDay={!isSale} autofocus={!isSale} />
      <p>{hint}</p>
    </FormDialog>
  );
}
