import { useSignal } from '@preact/signals';
import type { Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { nameLengthMax } from '../../../src/domain/name.ts';
import { parseInteger } from '../api/integer.ts';
import { messageOf } from '../api/service.ts';
import { currentApi } from '../api/session.ts';
import { useQuery } from '../api/use-query.ts';
import { ComboboxField } from '../parts/combobox/combobox.tsx';
import type { Option } from '../parts/combobox/options.ts';
import { FormDialog, useForm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { animalName, saleTexts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { reserveTexts, texts } from '../texts/orders.ts';
import { emptyDraft, faultsOf, membersOf } from './order-draft.ts';
import { OrderFields } from './order-fields.tsx';
import { placeOrder } from './placing.ts';
import { undoReservation } from './undo-order.ts';

const found = 20;

/** Available animals with this text in their names, newest first, after the one of this number. */
async function findAvailable(text: string, signal: AbortSignal): Promise<readonly Pet[]> {
  const number = parseInteger(text.replace(/^#/, ''));
  const ids = number === undefined ? [] : [number];
  const name = text === '' ? undefined : text.slice(0, nameLengthMax);
  const queries = [...(ids.length > 0 ? [{ ids }] : []), { name }];
  const lists = queries.map((query) =>
    currentApi().pets.list({ status: 'available', limit: found, ...query }, { signal }),
  );
  const pets = (await Promise.all(lists.map((list) => list.toArray({ max: found })))).flat();
  return [...new Map(pets.map((pet) => [pet.id, pet])).values()];
}

/** Chooses an available animal, which the service finds by its name or number. */
function AnimalField(props: {
  readonly value: string;
  readonly fault: string | undefined;
  readonly onInput: (id: string, animal: string) => void;
}) {
  const { value, fault, onInput } = props;
  const text = useSignal('');
  const chosen = useSignal<Option | undefined>(undefined);
  const { data, isFetching, error } = useQuery({
    key: ['available', text.value],
    read: (signal) => findAvailable(text.value, signal),
  });
  const options: Option[] = (data ?? []).map(({ id, name }) => ({
    ...{ value: String(id), text: name, hint: String(id) },
  }));
  // What was chosen is perhaps not among the first.
  if (text.value === '' && value !== '' && options.every((option) => option.value !== value)) {
    options.push(chosen.value ?? { value, text: value });
  }
  return (
    <ComboboxField
      label={texts.animal}
      hint={reserveTexts.hint}
      fault={fault ?? (error === null ? undefined : messageOf(error))}
      value={value}
      options={options}
      onSelect={(id) => {
        const option = options.find((one) => one.value === id);
        chosen.value = option;
        onInput(id, option?.text ?? '');
      }}
      onType={(typed) => {
        text.value = typed.trim();
      }}
      isSearching={isFetching}
      autofocus
    />
  );
}

/** Reserves an available animal. */
export function ReserveAnimal() {
  const form = useForm(
    { ...emptyDraft, petId: '', name: '' },
    ({ petId, ...draft }) => ({
      ...faultsOf(draft),
      petId: petId === '' ? reserveTexts.chooseFault : undefined,
    }),
    async ({ petId: id, name, ...draft }, idempotencyKey) => {
      const petId = parseInteger(id) ?? 0n;
      const animal = animalName({ id: petId, name });
      const members = { petId, ...membersOf(draft) };
      // After a refusal, another attempt is another reservation.
      const placed = await placeOrder(members, animal, idempotencyKey).catch((error) => {
        if (!isAnimalStoreError(error)) form.renewKey();
        throw error;
      });
      const undo = undoReservation({ ...placed, animal });
      showNotice(saleTexts.reserve.done(animal, placed.order.id), undo);
      form.close();
    },
    common.slowRetry,
  );
  const { onInput, ...field } = form.field('petId');
  return (
    <FormDialog
      title={reserveTexts.title}
      action={form.action}
      submit={saleTexts.reserve.yes}
      isDirty={form.isDirty}
    >
      <AnimalField
        {...field}
        onInput={(id, name) => {
          form.field('name').onInput(name);
          onInput(id);
        }}
      />
      <OrderFields form={form} hasDay />
      <p>{saleTexts.reserve.hint}</p>
    </FormDialog>
  );
}
