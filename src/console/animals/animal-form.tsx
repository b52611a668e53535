import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Pet, PetStatus } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { defaultPetStatus, petStatuses } from '../../domain/pet.ts';
import { api } from '../api/api.ts';
import { parseInteger } from '../api/integer.ts';
import { nameFault } from '../api/names.ts';
import { categoryName } from '../categories/categories-state.ts';
import {
  type CategoryChoice,
  CategoryPicker,
  categoryFault,
  chooseCategory,
  settleCategory,
} from '../categories/category-picker.tsx';
import { keyedSlow, useAction, useIdempotencyKey } from '../parts/action.ts';
import { Dialog, FormFooter, GoBack, showFault } from '../parts/dialog.tsx';
import { tell } from '../parts/notices.tsx';
import { Button, Fault, Form, Status, TextField } from '../parts/parts.tsx';

interface Draft {
  readonly name: string;
  readonly category: CategoryChoice;
  readonly status: PetStatus;
}

function draftOf(pet: Pet | undefined): Draft {
  return {
    name: pet?.name ?? '',
    category: chooseCategory(pet?.categoryId),
    status: pet?.status ?? defaultPetStatus,
  };
}

/** What was changed here, and for the rest what the animal is now: what was not touched is not ours to take back. */
function rebase(draft: Draft, before: Pet, now: Pet): Draft {
  const old = draftOf(before);
  const fresh = draftOf(now);
  const isOldCategory = draft.category.text === old.category.text;
  return {
    name: draft.name === old.name ? fresh.name : draft.name,
    category: isOldCategory ? fresh.category : draft.category,
    status: draft.status === old.status ? fresh.status : draft.status,
  };
}

function isAs({ name, category, status }: Draft, pet: Pet): boolean {
  return name === pet.name && status === pet.status && category.text === String(pet.categoryId);
}

function faultsOf({ name, category }: Draft) {
  return { name: nameFault(name), category: categoryFault(category) };
}

/** What is asked of an animal. */
function AnimalFields(props: {
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  readonly showsFaults: boolean;
}) {
  const { draft, onDraft, showsFaults } = props;
  const faults = showsFaults ? faultsOf(draft) : { name: undefined, category: undefined };
  return (
    <>
      <TextField
        label="Name"
        value={draft.name}
        fault={faults.name}
        autofocus
        isRequired
        onInput={(name) => onDraft({ ...draft, name })}
      />
      <CategoryPicker
        choice={draft.category}
        fault={faults.category}
        onChoice={(category) => onDraft({ ...draft, category })}
      />
      <fieldset>
        <legend>Status</legend>
        {petStatuses.map((status) => (
          <label key={status}>
            <input
              type="radio"
              name="status"
              value={status}
              checked={draft.status === status}
              onChange={() => onDraft({ ...draft, status })}
            />
            <Status status={status} />
          </label>
        ))}
      </fieldset>
    </>
  );
}

function hasFaults(draft: Draft): boolean {
  return Object.values(faultsOf(draft)).some((fault) => fault !== undefined);
}

export function AddAnimal(props: {
  readonly onAdded: (pet: Pet) => void;
  readonly onClose: () => void;
}) {
  const draft = useSignal(draftOf(undefined));
  const showsFaults = useSignal(false);
  const idempotencyKey = useIdempotencyKey();
  const save = useAction(async () => {
    showsFaults.value = true;
    const { name, category, status } = draft.peek();
    if (hasFaults(draft.peek())) return showFault();
    const own = api;
    const categoryId = await settleCategory(category, `${idempotencyKey.current}-category`, own);
    // It is made: the next attempt makes no second one.
    if (category.kind === 'new')
      draft.value = { name, category: chooseCategory(categoryId), status };
    const pet = await own.pets.create(
      { name, categoryId, status },
      { idempotencyKey: idempotencyKey.current },
    );
    props.onAdded(pet);
    tell(`${pet.name} was added.`);
    props.onClose();
  }, keyedSlow);
  return (
    <Dialog
      title="Add an animal"
      onClose={props.onClose}
      isBusy={save.isRunning}
      mayLeave={save.isSlow}
      isDirty={
        draft.value.name !== '' ||
        draft.value.status !== defaultPetStatus ||
        (draft.value.category.kind !== 'known' && draft.value.category.text !== '')
      }
    >
      <Form action={save}>
        <AnimalFields
          draft={draft.value}
          showsFaults={showsFaults.value}
          onDraft={(next) => {
            draft.value = next;
            idempotencyKey.renew();
          }}
        />
        <Fault message={save.fault} />
        <FormFooter action={save} text="Add" runningText="Adding…" />
      </Form>
    </Dialog>
  );
}

interface EditProps {
  readonly pet: Pet;
  readonly onChanged: (pet: Pet) => void;
  readonly onRemoved: (id: bigint) => void;
  readonly onClose: () => void;
}

/**
 * Changes an animal as it was when the window was opened. Where somebody else has changed it meanwhile, nothing is lost on
 * either side: both are shown, and who edits decides.
 */
export function EditAnimal({ pet, onChanged, onRemoved, onClose }: EditProps) {
  // The number stands for another animal once another workspace is shown.
  const own = useMemo(() => api, []);
  const base = useSignal<Pet | undefined>(undefined);
  const theirs = useSignal<Pet | undefined>(undefined);
  const draft = useSignal(draftOf(pet));
  const showsFaults = useSignal(false);
  const isDeleting = useSignal(false);
  const isGone = useSignal(false);
  const idempotencyKey = useIdempotencyKey();

  /** Somebody else may have changed or deleted it meanwhile: what is to be done then is for the person to say. */
  async function lookAgain(error: unknown, before: Pet, wasSaved = false): Promise<void> {
    if (isAnimalStoreError(error, 'precondition_failed')) {
      const now = await own.pets.update(pet.id, {}).catch((other) => lookAgain(other, before));
      if (now === undefined) return;
      onChanged(now);
      draft.value = rebase(draft.peek(), before, now);
      if (!isAs(draft.peek(), now)) {
        save.throwIfLeft(`Nothing was done to ${now.name}: somebody else has changed it.`);
        theirs.value = now;
      } else if (wasSaved) onClose();
      else {
        base.value = now;
        throw new Error('Somebody else has changed it meanwhile. Look again before you delete it.');
      }
    } else if (isAnimalStoreError(error, 'not_found')) {
      isGone.value = true;
      onRemoved(pet.id);
      save.throwIfLeft(`${pet.name}: somebody has deleted it.`);
    } else throw error;
  }

  const load = useAction(async () => {
    try {
      // A change of nothing gives the record with its version.
      base.value = await own.pets.update(pet.id, {});
      draft.value = rebase(draft.peek(), pet, base.value);
    } catch (error) {
      await lookAgain(error, pet);
    }
  });
  useEffect(() => void load.run(), []);

  const save = useAction(async () => {
    showsFaults.value = true;
    const before = base.peek();
    const { name, category, status } = draft.peek();
    if (before === undefined) return;
    if (hasFaults(draft.peek())) return showFault();
    const categoryId = await settleCategory(category, `${idempotencyKey.current}-category`, own);
    // It is made: the next attempt makes no second one.
    if (category.kind === 'new')
      draft.value = { name, category: chooseCategory(categoryId), status };
    // Only what was changed here: the rest is not ours to set.
    const patch = {
      ...(name === before.name ? {} : { name }),
      ...(categoryId === before.categoryId ? {} : { categoryId }),
      ...(status === before.status ? {} : { status }),
    };
    try {
      const changed = await own.pets.update(pet.id, patch, {
        ifMatch: before,
        idempotencyKey: idempotencyKey.current,
      });
      onChanged(changed);
      tell(`${changed.name} was saved.`);
      onClose();
    } catch (error) {
      // Where it is as it was to be, an attempt saved it whose answer was lost.
      await lookAgain(error, before, true);
    }
  }, keyedSlow);

  const remove = useAction(async () => {
    const before = base.peek();
    if (before === undefined) return;
    try {
      await own.pets.delete(pet.id, {
        ifMatch: before,
        idempotencyKey: idempotencyKey.current,
      });
      onRemoved(pet.id);
      tell(`${before.name} was deleted.`);
      onClose();
    } catch (error) {
      isDeleting.value = false;
      await lookAgain(error, before);
    }
  });

  const isBusy = load.isRunning || save.isRunning || remove.isRunning;
  return (
    <Dialog
      title={`Animal ${pet.id}`}
      onClose={onClose}
      isBusy={save.isRunning || remove.isRunning}
      mayLeave={save.isSlow || remove.isSlow}
      isDirty={!isAs(draft.value, base.value ?? pet)}
    >
      {isGone.value ? (
        <Gone onClose={onClose} />
      ) : theirs.value !== undefined ? (
        <Conflict
          mine={draft.value}
          theirs={theirs.value}
          onMine={() => {
            base.value = theirs.value;
            theirs.value = undefined;
            idempotencyKey.renew();
            void save.run();
          }}
          onTheirs={() => {
            base.value = theirs.value;
            draft.value = draftOf(theirs.value);
            idempotencyKey.renew();
            theirs.value = undefined;
          }}
        />
      ) : (
        <Form action={save}>
          <AnimalFields
            draft={draft.value}
            showsFaults={showsFaults.value}
            onDraft={(next) => {
              draft.value = next;
              idempotencyKey.renew();
            }}
          />
          <Fault message={load.fault ?? save.fault ?? remove.fault} />
          {isDeleting.value && <DeleteQuestion name={pet.name} />}
          <footer>
            {isDeleting.value ? (
              <>
                <Button
                  onClick={() => {
                    isDeleting.value = false;
                  }}
                >
                  Do not delete
                </Button>
                <Button kind="danger" disabled={isBusy} onClick={() => void remove.run()}>
                  Delete for good
                </Button>
              </>
            ) : (
              <>
                <Button
                  kind="quiet"
                  disabled={isBusy}
                  onClick={() => {
                    isDeleting.value = true;
                  }}
                >
                  Delete…
                </Button>
                <span class="gap" />
                <GoBack disabled={save.isRunning} />
                {base.value === undefined && load.fault !== undefined && !load.isRunning ? (
                  <Button key="again" kind="main" onClick={() => void load.run()}>
                    Try again
                  </Button>
                ) : (
                  <Button
                    key="save"
                    kind="main"
                    type="submit"
                    disabled={isBusy || base.value === undefined}
                  >
                    {save.isRunning ? 'Saving…' : 'Save'}
                  </Button>
                )}
              </>
            )}
          </footer>
        </Form>
      )}
    </Dialog>
  );
}

function DeleteQuestion({ name }: { readonly name: string }) {
  return (
    <p class="question">
      Delete {name} for good? Its number is never used again. To keep its history, set it to sold
      instead.
    </p>
  );
}

function Gone({ onClose }: { readonly onClose: () => void }) {
  return (
    <>
      <p>Somebody has deleted this animal.</p>
      <footer>
        <Button kind="main" onClick={onClose}>
          Close
        </Button>
      </footer>
    </>
  );
}

function Conflict(props: {
  readonly mine: Draft;
  readonly theirs: Pet;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}) {
  const { mine, theirs } = props;
  const nameOf = ({ kind, text }: CategoryChoice) => {
    const id = kind === 'new' ? undefined : parseInteger(text);
    const name = id === undefined ? undefined : categoryName(id);
    return name === undefined ? text : `${name} (${text})`;
  };
  const lines = [
    ['Name', mine.name, theirs.name],
    ['Category', nameOf(mine.category), nameOf(chooseCategory(theirs.categoryId))],
    ['Status', mine.status, theirs.status],
  ] as const;
  return (
    <>
      <p role="alert">
        Somebody else has changed this animal while you did. Nothing of yours is saved yet.
      </p>
      <table class="comparison">
        <thead>
          <tr>
            <td />
            <th scope="col">Yours</th>
            <th scope="col">As it is now</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(([name, own, other]) => (
            <tr key={name} class={own === other ? '' : 'differs'}>
              <th scope="row">{name}</th>
              <td>{own}</td>
              <td>{other}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <footer>
        <Button onClick={props.onTheirs}>Take theirs, and edit again</Button>
        <Button kind="main" onClick={props.onMine}>
          Save mine
        </Button>
      </footer>
    </>
  );
}
