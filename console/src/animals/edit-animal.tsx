import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { useApi } from '../api/session.ts';
import { categoryNames } from '../categories/categories-state.ts';
import { assignTo, useAction, useOneRun } from '../parts/action.ts';
import { Conflict } from '../parts/conflict.tsx';
import { Button, Fault, Form } from '../parts/controls.tsx';
import { CancelButton, Dialog, useForm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import type { Undo } from '../parts/undo.ts';
import { animalName, saleTexts, formTexts as texts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { AnimalFields, ensureDraftCategory, faultsOf, formDraftOf } from './animal-form.tsx';
import {
  changeOf,
  type Draft,
  draftOf,
  isSame,
  isSameDraft,
  members,
  rebase,
  showMember,
} from './members.ts';
import { undoDeletion, undoEdit } from './undo-animal.ts';

type Step =
  | { readonly is: 'edit' | 'delete' | 'gone' }
  | { readonly is: 'conflict'; readonly now: Pet };

/** The edit of an animal: its form, and its requests. */
function useEdit(pet: Pet, first: 'edit' | 'delete') {
  const sessionApi = useApi();
  /** The version that the form is based on, once it is read. */
  const base = useSignal<Pet | undefined>(undefined);
  const step = useSignal<Step>({ is: first });
  const form = useForm(
    formDraftOf(pet),
    faultsOf,
    async (_draft, idempotencyKey): Promise<void> => {
      const before = base.peek() ?? (await readBase());
      if (before === undefined) return;
      // "Was saved" would suggest a change.
      if (isSameDraft(form.draft.peek(), draftOf(before))) return form.close();
      const categoryId = await ensureDraftCategory(form.draft, idempotencyKey, sessionApi);
      const change = changeOf(form.draft.peek(), categoryId, before);
      const finish = (changed: Pet, undo?: Undo) => {
        showNotice(common.saved(animalName(changed)), undo);
        form.close();
      };
      const options = { ifMatch: before, idempotencyKey };
      await sessionApi.pets.update(pet.id, change, options).then(
        (changed) => finish(changed, undoEdit(sessionApi, before, changed)),
        // An earlier attempt or another user may have saved it. An Undo would take back what else the other user has changed.
        (error) => handleConflict(error, before, finish),
      );
    },
    common.slowRetry,
  );

  /** Shows what another user has done since `before`. `onSame` runs if the animal is already as the form wants it. */
  async function handleConflict(
    error: unknown,
    before: Pet,
    onSame: (now: Pet) => void,
  ): Promise<void> {
    if (isAnimalStoreError(error, 'precondition_failed')) {
      const now = await sessionApi.pets
        .update(pet.id, {})
        .catch((other) => handleConflict(other, before, onSame));
      if (now === undefined) return;
      form.draft.value = rebase(form.draft.peek(), before, formDraftOf(now));
      if (isSameDraft(form.draft.peek(), draftOf(now))) return onSame(now);
      form.action.throwIfUnmounted(texts.notSaved(now));
      step.value = { is: 'conflict', now };
    } else if (isAnimalStoreError(error, 'not_found')) {
      step.value = { is: 'gone' };
      form.action.throwIfUnmounted(saleTexts.deleted(animalName(pet)));
    } else throw error;
  }

  /** Reads the version that the form is based on. Undefined if the animal is deleted. */
  const readBase = useOneRun(async () => {
    try {
      // An empty change returns the animal with its version.
      base.value = await sessionApi.pets.update(pet.id, {});
      form.draft.value = rebase(form.draft.peek(), pet, formDraftOf(base.value));
    } catch (error) {
      await handleConflict(error, pet, assignTo(base));
    }
    return base.peek();
  });
  // If this fails, the animal is read again when it is saved or deleted.
  const load = useAction(async () => void (await readBase()));
  useEffect(load.run, []);
  return { sessionApi, base, step, form, load, readBase, handleConflict };
}

/**
 * Edits an animal, or asks whether to delete it. If another user has changed it since it was read, both versions are shown, and this
 * user chooses.
 */
export function EditAnimal(props: { readonly pet: Pet; readonly isDeletion?: boolean }) {
  const { pet, isDeletion = false } = props;
  const { sessionApi, base, step, form, load, readBase, handleConflict } = useEdit(
    pet,
    isDeletion ? 'delete' : 'edit',
  );
  const remove = useAction(async () => {
    const shown = base.peek() ?? pet;
    const before = base.peek() ?? (await readBase());
    if (before === undefined) return;
    try {
      if (!isSameDraft(draftOf(shown), draftOf(before))) throw new Error(texts.notDeleted);
      const idempotencyKey = form.idempotencyKey.current;
      await sessionApi.pets.delete(pet.id, { ifMatch: before, idempotencyKey });
      showNotice(common.deleted(animalName(before)), undoDeletion(sessionApi, before));
      form.close();
    } catch (error) {
      step.value = { is: 'edit' };
      await handleConflict(error, before, (now) => {
        base.value = now;
        throw new Error(texts.notDeleted);
      });
    }
  });
  const save = form.action;
  const isSending = save.isRunning || remove.isRunning;
  const isReady = base.value !== undefined;
  const conflict = step.value.is === 'conflict' ? step.value.now : undefined;
  const goTo = (is: 'edit' | 'delete') => {
    step.value = { is };
  };
  const continueFrom = (now: Pet) => {
    base.value = now;
    goTo('edit');
    form.renewKey();
  };
  return (
    <Dialog
      title={common.actionOn(common.edit, animalName(pet))}
      isBusy={isSending}
      mayClose={save.isSlow || remove.isSlow}
      isDirty={!isSameDraft(form.draft.value, draftOf(base.value ?? pet))}
    >
      {step.value.is === 'gone' ? (
        <>
          <p>{texts.gone}</p>
          <footer>
            <Button kind="main" onClick={form.close}>
              {common.close}
            </Button>
          </footer>
        </>
      ) : conflict !== undefined ? (
        <Conflict
          message={texts.conflict}
          rows={conflictRows(form.draft.value, conflict)}
          onMine={() => {
            continueFrom(conflict);
            save.run();
          }}
          onTheirs={() => {
            continueFrom(conflict);
            form.draft.value = formDraftOf(conflict);
          }}
        />
      ) : (
        <Form action={save}>
          <AnimalFields form={form} />
          <Fault message={save.fault ?? remove.fault ?? (isReady ? undefined : load.fault)} />
          {step.value.is === 'delete' && <p class="question loss">{texts.deleteQuestion(pet)}</p>}
          <footer>
            {step.value.is === 'delete' ? (
              <>
                <Button onClick={() => goTo('edit')}>{texts.doNotDelete}</Button>
                <Button kind="danger" disabled={isSending} onClick={remove.run}>
                  {common.delete}
                </Button>
              </>
            ) : (
              <>
                <Button kind="quiet" disabled={isSending} onClick={() => goTo('delete')}>
                  {common.deleteWithQuestion}
                </Button>
                <span class="gap" />
                <CancelButton disabled={save.isRunning} />
                <Button kind="main" type="submit" disabled={isSending}>
                  {save.isRunning ? common.saving : common.save}
                </Button>
              </>
            )}
          </footer>
        </Form>
      )}
    </Dialog>
  );
}

/** The members of the form beside those of the animal now. */
function conflictRows(mine: Draft, now: Pet) {
  const theirs = draftOf(now);
  return members.map((member) => ({
    heading: common[member.name],
    mine: showMember(member, mine, categoryNames),
    theirs: showMember(member, theirs, categoryNames),
    isSame: isSame(member, mine, theirs),
  }));
}
