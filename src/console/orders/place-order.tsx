import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Order, Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { api } from '../api/api.ts';
import { parseInteger } from '../api/integer.ts';
import { TextField } from '../parts/controls.tsx';
import { FormDialog, useForm } from '../parts/dialog.tsx';
import { Status } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { texts } from '../texts/orders.ts';

function faultsOf({ number }: { readonly number: string }) {
  return { number: parseInteger(number) === undefined ? texts.petNumberFault : undefined };
}

export function PlaceOrder(props: {
  /** The number of the animal whose orders are shown. */
  readonly animal: string | undefined;
  readonly onAdded: (order: Order) => void;
}) {
  const { animal = '', onAdded } = props;
  const refusal = useSignal<string | undefined>(undefined);
  const form = useForm({ number: animal }, faultsOf, async ({ number }, idempotencyKey) => {
    const petId = parseInteger(number) ?? 0n;
    refusal.value = undefined;
    try {
      const order = await api.orders.create({ petId }, { idempotencyKey });
      onAdded(order);
      showNotice(texts.placed(order.id));
      form.close();
    } catch (error) {
      if (isAnimalStoreError(error, 'not_found')) refusal.value = texts.petUnknown;
      else if (!isAnimalStoreError(error, 'pet_not_available')) throw error;
      else refusal.value = texts.petUnavailable;
      form.action.throwIfLeft(texts.notPlaced(petId, refusal.value));
    }
  });
  const { value, fault = refusal.value, onInput } = form.field('number');
  const pet = useAnimalOf(value);
  return (
    <FormDialog
      title={texts.place}
      action={form.action}
      submit={texts.placeSubmit}
      isDirty={value !== animal}
    >
      <TextField
        label={texts.petNumber}
        value={value}
        isNumber
        autofocus
        fault={fault}
        hint={texts.petNumberHint}
        onInput={(text) => {
          onInput(text);
          refusal.value = undefined;
        }}
      />
      <p role="status">
        {pet !== undefined && (
          <>
            {pet.name} <Status status={pet.status} />
          </>
        )}
      </p>
    </FormDialog>
  );
}

/** The animal of a number, a moment after the number was typed. */
function useAnimalOf(number: string): Pet | undefined {
  const pet = useSignal<Pet | undefined>(undefined);
  useEffect(() => {
    pet.value = undefined;
    const id = parseInteger(number);
    if (id === undefined) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const [found] = await api.pets
        .list({ ids: [id] })
        .toArray({ max: 1 })
        .catch(() => []);
      if (isCurrent) pet.value = found;
    }, 200);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [number]);
  return pet.value;
}
