import type { Pet } from '../../../client/src/contract.ts';
import { rereadAnimal } from '../api/reread.ts';
import { useApi } from '../api/session.ts';
import { emptyDraft, faultsOf, isSameDraft, membersOf } from '../orders/order-draft.ts';
import { OrderFields } from '../orders/order-fields.tsx';
import { describeRefusal, isRefusal, place } from '../orders/placing.ts';
import { undoReservation, undoSale } from '../orders/undo-order.ts';
import { FormDialog, useForm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { animalName, saleTexts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';

/** Sells or reserves an animal. Both place an order; a sale also hands it over. */
export function Sale(props: { readonly pet: Pet; readonly isSale: boolean }) {
  const { pet, isSale } = props;
  const { question, yes, hint, done } = isSale ? saleTexts.sell : saleTexts.reserve;
  const name = animalName(pet);
  const sessionApi = useApi();
  const form = useForm(
    emptyDraft,
    (draft) => faultsOf(draft),
    async (draft, idempotencyKey) => {
      try {
        const members = { petId: pet.id, ...membersOf(draft) };
        const order = await place(sessionApi, members, idempotencyKey, isSale);
        const changed = {
          sessionApi,
          order,
          animal: name,
          now: await rereadAnimal(pet.id, sessionApi),
        };
        const undo = isSale ? undoSale(changed) : undoReservation(changed);
        showNotice(done(name, order.id), undo);
        form.close();
      } catch (error) {
        const reading = rereadAnimal(pet.id, sessionApi);
        if (!isRefusal(error)) throw error;
        form.renewKey();
        const now = await reading;
        throw new Error(describeRefusal(name, now), { cause: error });
      }
    },
    common.slowRetry,
  );
  return (
    <FormDialog
      title={question(name)}
      action={form.action}
      submit={yes}
      isDirty={!isSameDraft(form.draft.value, emptyDraft)}
      focus={isSale ? 'submit' : undefined}
    >
      <OrderFields form={form} hasDay={!isSale} autofocus={!isSale} />
      <p>{hint}</p>
    </FormDialog>
  );
}
