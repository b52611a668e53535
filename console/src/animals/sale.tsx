import type { NewOrder, Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { changeAsShown } from '../api/as-shown.ts';
import { currentApi } from '../api/session.ts';
import { emptyDraft, faultsOf, membersOf } from '../orders/order-draft.ts';
import { OrderFields } from '../orders/order-fields.tsx';
import { placeOrder } from '../orders/placing.ts';
import { undoReservation, undoSale } from '../orders/undo-order.ts';
import { Confirm, FormDialog, useForm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { releaseTexts } from '../texts/animal.ts';
import { animalName, refusalOf, saleTexts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { cancelTexts } from '../texts/orders.ts';
import { changeAtOnce } from './change-at-once.ts';

/** Sells or reserves an animal. Both place an order; a sale also hands it over. An animal can be sold instead of reserved. */
export function Sale(props: { readonly pet: Pet; readonly isSale: boolean }) {
  const { pet } = props;
  const animal = animalName(pet);
  const form = useForm(
    { ...emptyDraft, isSale: props.isSale },
    // A sale has no day.
    ({ isSale, ...draft }) => ({ ...faultsOf(isSale ? { ...draft, until: '' } : draft) }),
    async ({ isSale, note, until }, idempotencyKey) => {
      const members = membersOf({ note, until: isSale ? '' : until });
      // After a refusal, another attempt is another sale.
      const placed = await place(pet, members, idempotencyKey, isSale).catch((error) => {
        if (!isAnimalStoreError(error)) form.renewKey();
        throw error;
      });
      const { done } = isSale ? saleTexts.sell : saleTexts.reserve;
      const undoOf = isSale ? undoSale : undoReservation;
      showNotice(done(animal, placed.order.id), undoOf({ ...placed, animal }));
      form.close();
    },
    common.slowRetry,
  );
  const { action } = form;
  // What may be done is sent again as it was.
  const { isSale } = action.mayBeDone ? form.draft.value : props;
  const { question, yes, hint } = isSale ? saleTexts.sell : saleTexts.reserve;
  const send = (asSale: boolean) => {
    if (form.draft.peek().isSale !== asSale) form.field('isSale').onInput(asSale);
    action.run();
  };
  return (
    <FormDialog
      title={question(animal)}
      action={{ ...action, run: () => send(isSale) }}
      submit={yes}
      second={
        isSale || action.mayBeDone ? undefined : { text: saleTexts.sell.now, run: () => send(true) }
      }
      isDirty={form.isDirty}
      focus={isSale ? 'submit' : undefined}
    >
      <OrderFields form={form} hasDay={!isSale} autofocus={!isSale} />
      <p>{hint}</p>
    </FormDialog>
  );
}

/** Places an order. An animal that is reserved without one is made available first, because an order reserves it again. */
async function place(
  pet: Pet,
  members: Pick<NewOrder, 'note' | 'shipDate'>,
  idempotencyKey: string,
  isSale: boolean,
) {
  if (pet.status === 'pending') {
    const { pets } = currentApi();
    const change = { status: 'available' } as const;
    await changeAsShown(pet, {
      send: (ifMatch) => pets.update(pet.id, change, { ifMatch, idempotencyKey }),
      read: () => pets.update(pet.id, {}),
      changed(now) {
        // An earlier attempt made it available.
        if (now?.status === 'available') return now;
        throw new Error(refusalOf(pet, now));
      },
    });
  }
  return placeOrder({ ...members, petId: pet.id }, animalName(pet), idempotencyKey, isSale);
}

/** Makes an animal available that is reserved without an order. */
export function Release({ pet }: { readonly pet: Pet }) {
  return (
    <Confirm
      title={releaseTexts.question(animalName(pet))}
      hint={releaseTexts.hint}
      yes={cancelTexts.submit}
      no={cancelTexts.keep}
      kind="main"
      act={(idempotencyKey) =>
        changeAtOnce(pet, { status: 'available' }, idempotencyKey, (now) =>
          releaseTexts.done(animalName(now)),
        )
      }
    />
  );
}
