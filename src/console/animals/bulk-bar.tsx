import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Pet, PetStatus } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { petStatuses } from '../../domain/pet.ts';
import { api, messageOf } from '../api/api.ts';
import { inParallel } from '../api/in-parallel.ts';
import {
  type CategoryChoice,
  CategoryPicker,
  categoryFault,
  settleCategory,
} from '../categories/category-picker.tsx';
import { useAction, useIdempotencyKey } from '../parts/action.ts';
import { Confirm, Dialog, FormFooter, showFault } from '../parts/dialog.tsx';
import { tell, tellFailure } from '../parts/notices.tsx';
import { Button, Fault, Form } from '../parts/parts.tsx';

type Change = (pet: Pet) => Promise<void>;

/** One change of all animals that are selected. Those that cannot be changed are named, with the reason. */
export function BulkBar(props: {
  readonly pets: readonly Pet[];
  /** Of the change that is under way, if any: nothing else is selected meanwhile. */
  readonly doneCount: Signal<number | undefined>;
  /** Reads the list to its end first. */
  readonly onSelectAll: () => Promise<void>;
  readonly onChanged: (pet: Pet) => void;
  readonly onRemoved: (id: bigint) => void;
  /** With those that could not be changed. */
  readonly onDone: (left: readonly Pet[]) => void;
}) {
  const { pets, doneCount, onSelectAll, onChanged, onRemoved, onDone } = props;
  const faults = useSignal<readonly string[]>([]);
  const isDeleting = useSignal(false);
  const isMoving = useSignal(false);
  const chosen = useSignal<PetStatus | undefined>(undefined);
  // Numbers stand for other animals once another session or workspace is shown.
  const own = useMemo(() => api, []);
  const selecting = useAction(onSelectAll);
  const leaving = useMemo(() => new AbortController(), []);
  useEffect(() => () => leaving.abort(), []);

  /** Reads it first: a list has no versions, and what was selected may be sold since. */
  async function changeOne(pet: Pet, change: Change): Promise<void> {
    const now = await own.pets.update(pet.id, {});
    if (!isSame(now, pet)) throw new ChangedMeanwhile(now);
    await change(now).catch(async (error) => {
      if (!isAnimalStoreError(error, 'precondition_failed')) throw error;
      throw new ChangedMeanwhile(await own.pets.update(pet.id, {}));
    });
  }

  /** `prepare` gives what is to be done with each, which is given with its version. */
  async function changeAll(what: string, prepare: () => Promise<Change>): Promise<void> {
    if (doneCount.peek() !== undefined) throw new Error('Another change is not done yet.');
    doneCount.value = 0;
    const failed: string[] = [];
    const left: Pet[] = [];
    const act = async (pet: Pet, change: Change) => {
      try {
        await changeOne(pet, change);
      } catch (error) {
        failed.push(`${pet.name} (${pet.id}): ${messageOf(error)}`);
        if (isAnimalStoreError(error, 'not_found')) onRemoved(pet.id);
        else left.push(error instanceof ChangedMeanwhile ? error.now : pet);
        if (error instanceof ChangedMeanwhile) onChanged(error.now);
      }
      doneCount.value = (doneCount.peek() ?? 0) + 1;
    };
    try {
      const change = await prepare();
      await inParallel(pets, 4, (pet) => act(pet, change), leaving.signal);
      if (leaving.signal.aborted) {
        const count = (doneCount.peek() ?? 0) - failed.length;
        tellFailure(`You left before the end: ${count} of ${pets.length} animals ${what}.`);
        return;
      }
    } finally {
      doneCount.value = undefined;
    }
    faults.value = failed;
    const count = pets.length - failed.length;
    tell(`${count} ${count === 1 ? 'animal' : 'animals'} ${what}.`);
    onDone(left);
  }

  const isChanging = doneCount.value !== undefined;
  const isBusy = isChanging || selecting.isRunning;
  return (
    <section class="bulk" aria-label="Selected animals">
      <div class="bulk-actions">
        <p>
          {isChanging ? `${doneCount.value} of ${pets.length} done…` : `${pets.length} selected`}
        </p>
        {petStatuses.map((status) => (
          <Button
            key={status}
            disabled={isBusy}
            onClick={() => {
              chosen.value = status;
            }}
          >
            Set to {status}
          </Button>
        ))}
        <Button
          disabled={isBusy}
          onClick={() => {
            isMoving.value = true;
          }}
        >
          Set category…
        </Button>
        <Button
          kind="danger"
          disabled={isBusy}
          onClick={() => {
            isDeleting.value = true;
          }}
        >
          Delete…
        </Button>
        <Button kind="quiet" disabled={isBusy} onClick={() => void selecting.run()}>
          {selecting.isRunning ? 'Reading the list…' : 'Select all'}
        </Button>
        <Button kind="quiet" disabled={isBusy} onClick={() => onDone([])}>
          Clear selection
        </Button>
      </div>
      {faults.value.length > 0 && (
        <div role="alert" class="fault">
          <p>
            {faults.value.length === 1
              ? 'One animal was not changed:'
              : `${faults.value.length} animals were not changed:`}
          </p>
          <ul>
            {faults.value.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </div>
      )}
      {chosen.value !== undefined && (
        <SetStatus
          pets={pets}
          status={chosen.value}
          act={(status) =>
            changeAll(`set to ${status}`, async () => async (pet) => {
              onChanged(await own.pets.update(pet.id, { status }, { ifMatch: pet }));
            })
          }
          onClose={() => {
            chosen.value = undefined;
          }}
        />
      )}
      {isMoving.value && (
        <SetCategory
          count={pets.length}
          act={(settle) =>
            changeAll('moved to another category', async () => {
              const categoryId = await settle(own);
              return async (pet) => {
                onChanged(await own.pets.update(pet.id, { categoryId }, { ifMatch: pet }));
              };
            })
          }
          onClose={() => {
            isMoving.value = false;
          }}
        />
      )}
      {isDeleting.value && (
        <Confirm
          title={pets.length === 1 ? 'Delete one animal?' : `Delete ${pets.length} animals?`}
          yes="Delete for good"
          act={() =>
            changeAll('deleted', async () => async (pet) => {
              await own.pets.delete(pet.id, { ifMatch: pet });
              onRemoved(pet.id);
            })
          }
          onClose={() => {
            isDeleting.value = false;
          }}
        >
          They are gone for good, and their numbers are never used again. Those that somebody
          changed since they were selected are left out and named.
        </Confirm>
      )}
    </section>
  );
}

/** It stays selected, as it is now: who tries again means it. */
class ChangedMeanwhile extends Error {
  readonly now: Pet;

  constructor(now: Pet) {
    super(`somebody has changed it since it was selected, and it is ${now.status} now`);
    this.now = now;
  }
}

function isSame(left: Pet, right: Pet): boolean {
  return (
    left.name === right.name && left.categoryId === right.categoryId && left.status === right.status
  );
}

function SetCategory(props: {
  readonly count: number;
  /** Is given what finds the number of the category, which may be made first. */
  readonly act: (settle: (own: typeof api) => Promise<bigint>) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { count, act, onClose } = props;
  const choice = useSignal<CategoryChoice>({ kind: 'known', text: '' });
  const showsFaults = useSignal(false);
  const idempotencyKey = useIdempotencyKey();
  const set = useAction(async () => {
    showsFaults.value = true;
    if (categoryFault(choice.peek()) !== undefined) return showFault();
    await act((own) => settleCategory(choice.peek(), idempotencyKey.current, own));
    onClose();
  });
  return (
    <Dialog
      title={`Set the category of ${count === 1 ? 'one animal' : `${count} animals`}`}
      onClose={onClose}
      isBusy={set.isRunning}
      isDirty={choice.value.text !== ''}
      mayLeave={set.isSlow}
    >
      <Form action={set}>
        <CategoryPicker
          choice={choice.value}
          fault={showsFaults.value ? categoryFault(choice.value) : undefined}
          onChoice={(next) => {
            choice.value = next;
            idempotencyKey.renew();
          }}
        />
        <p class="hint">
          Those that somebody changed since they were selected are left out and named.
        </p>
        <Fault message={set.fault} />
        <FormFooter action={set} text="Set the category" />
      </Form>
    </Dialog>
  );
}

/** Says what would be changed: one press would undo a day of sales. */
function SetStatus(props: {
  readonly pets: readonly Pet[];
  readonly status: PetStatus;
  readonly act: (status: PetStatus) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { pets, status, act, onClose } = props;
  const now = petStatuses
    .map((one) => [one, pets.filter((pet) => pet.status === one).length] as const)
    .filter(([, count]) => count > 0)
    .map(([one, count]) => `${count} ${one}`)
    .join(', ');
  return (
    <Confirm
      title={`Set ${pets.length === 1 ? 'one animal' : `${pets.length} animals`} to ${status}?`}
      yes={`Set to ${status}`}
      kind="main"
      act={() => act(status)}
      onClose={onClose}
    >
      When they were selected: {now}. Those that somebody changed since are left out and named. No
      orders are placed or changed.
    </Confirm>
  );
}
