import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { parseInteger } from '../api/integer.ts';
import { rereadAnimal } from '../api/reread.ts';
import { currentApi, useApi } from '../api/session.ts';
import { TextField } from '../parts/controls.tsx';
import { FormDialog, useForm } from '../parts/dialog.tsx';
import { Status } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { animalName } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { orderName, placeTexts as texts } from '../texts/orders.ts';
import { emptyDraft, faultsOf, isSameDraft, membersOf } from './order-draft.ts';
import { OrderFields } from './order-fields.tsx';
import { describeRefusal, isRefusal, place } from './placing.ts';
import { undoReservation } from './undo-order.ts';

/** Reserves an animal by its number. */
export function PlaceOrder() {
  const initial = { ...emptyDraft, number: '' };
  const sessionApi = useApi();
  const refusal = useSignal<string | undefined>(undefined);
  const form = useForm(
    initial,
    ({ number, ...draft }) => ({
      ...faultsOf(draft),
      number: parseInteger(number) === undefined ? texts.numberFault : undefined,
    }),
    async ({ number, ...draft }, idempotencyKey) => {
      const petId = parseInteger(number) ?? 0n;
      refusal.value = undefined;
      try {
        const members = { petId, ...membersOf(draft) };
        const order = await place(sessionApi, members, idempotencyKey, false);
        const now = await rereadAnimal(petId, sessionApi);
        if (typeof now === 'object') animal.value = now;
        const undo = undoReservation({ sessionApi, order, animal: nameOf(petId), now });
        showNotice(texts.done(orderName(order.id, nameOf(petId))), undo);
        form.close();
      } catch (error) {
        if (!isRefusal(error)) throw error;
        form.renewKey();
        const now = await rereadAnimal(petId, sessionApi);
        if (typeof now === 'object') animal.value = now;
        refusal.value = now === 'deleted' ? texts.unknown : describeRefusal(nameOf(petId), now);
        form.action.throwIfUnmounted(refusal.value);
      }
    },
    common.slowRetry,
  );
  const { value, fault = refusal.value, onInput } = form.field('number');
  const animal = useAnimalOf(value);
  const pet = animal.value;
  function nameOf(petId: bigint): string {
    const known = animal.peek();
    return animalName(known?.id === petId ? known : { id: petId });
  }
  return (
    <FormDialog
      title={texts.title}
      action={form.action}
      submit={texts.submit}
      isDirty={value !== initial.number || !isSameDraft(form.draft.value, initial)}
    >
      <TextField
        label={texts.number}
        value={value}
        isNumber
        autofocus
        fault={fault}
        hint={texts.numberHint}
        onInput={(text) => {
          onInput(text);
          refusal.value = undefined;
        }}
      />
      <p role="status">
        {pet !== undefined && (
          <>
            <bdi>{pet.name}</bdi> <Status status={pet.status} />
          </>
        )}
      </p>
      <OrderFields form={form} hasDay />
    </FormDialog>
  );
}

/** The animal of a number, a moment after the number was typed. */
function useAnimalOf(number: string): Signal<Pet | undefined> {
  const pet = useSignal<Pet | undefined>(undefined);
  useEffect(() => {
    const id = parseInteger(number);
    if (pet.peek()?.id !== id) pet.value = undefined;
    if (id === undefined) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const [found] = await currentApi()
        .pets.list({ ids: [id] })
        .toArray({ max: 1 })
        .catch(() => []);
      if (isCurrent) pet.value = found;
    }, 200);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [number]);
  return pet;
}
