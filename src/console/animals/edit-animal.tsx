import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { api } from '../api/api.ts';
import { assignTo, useAction } from '../parts/action.ts';
import { Button, Fault, Form } from '../parts/controls.tsx';
import { Dialog, GoBack } from '../parts/dialog.tsx';
import { useForm } from '../parts/form.tsx';
import { showNotice } from '../parts/notices.tsx';
import { texts as screenTexts, formTexts as texts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { AnimalFields, faultsOf, formDraftOf, settleDraft } from './animal-form.tsx';
import { Conflict } from './conflict.tsx';
import { changeOf, draftOf, isSameDraft, rebase } from './members.ts';

interface EditProps {
  readonly pet: Pet;
  readonly onChanged: (pet: Pet) => void;
  readonly onRemoved: (id: bigint) => void;
  readonly onClose: () => void;
}

type Step =
  | { readonly is: 'edit' | 'delete' | 'gone' }
  | { readonly is: 'conflict'; readonly now: Pet };

/** The edit of an animal: its form, and its requests. */
function useEdit({ pet, onChanged, onRemoved, onClose }: EditProps) {
  // In another workspace, the number is that of another animal.
  const own = useMemo(() => api, []);
  /** The version that the form is based on, once it is read. */
  const base = useSignal<Pet | undefined>(undefined);
  const step = useSignal<Step>({ is: 'edit' });
  const form = useForm({
    initial: useMemo(() => formDraftOf(pet), []),
    faultsOf,
    slow: common.slowRetry,
    send: async (_draft, idempotencyKey) => {
      const before = base.peek();
      if (before === undefined) return;
      const categoryId = await settleDraft(form.draft, idempotencyKey, own);
      const change = changeOf(form.draft.peek(), categoryId, before);
      try {
        const changed = await own.pets.update(pet.id, change, { ifMatch: before, idempotencyKey });
        onChanged(changed);
        showNotice(texts.saved(changed.name));
        onClose();
      } catch (error) {
        // An earlier attempt may have saved it, and its answer was lost.
        await compare(error, before, onClose);
      }
    },
  });

  /** Shows what another user has done since `before`. `onSame` runs if the animal is as the form wants it. */
  async function compare(error: unknown, before: Pet, onSame: (now: Pet) => void): Promise<void> {
    if (isAnimalStoreError(error, 'precondition_failed')) {
      const now = await own.pets
        .update(pet.id, {})
        .catch((other) => compare(other, before, onSame));
      if (now === undefined) return;
      onChanged(now);
      form.draft.value = rebase(form.draft.peek(), before, formDraftOf(now));
      if (isSameDraft(form.draft.peek(), draftOf(now))) return onSame(now);
      form.action.throwIfLeft(texts.notSaved(now.name));
      step.value = { is: 'conflict', now };
    } else if (isAnimalStoreError(error, 'not_found')) {
      step.value = { is: 'gone' };
      onRemoved(pet.id);
      form.action.throwIfLeft(texts.goneNamed(pet.name));
    } else throw error;
  }

  const load = useAction(async () => {
    try {
      // An empty change returns the animal with its version.
      base.value = await own.pets.update(pet.id, {});
      form.draft.value = rebase(form.draft.peek(), pet, formDraftOf(base.value));
    } catch (error) {
      await compare(error, pet, assignTo(base));
    }
  });
  useEffect(load.run, []);
  return { own, base, step, form, load, compare };
}

/** Edits an animal. If another user has changed it since it was read, both versions are shown, and this user chooses. */
export function EditAnimal(props: EditProps) {
  const { pet, onRemoved, onClose } = props;
  const { own, base, step, form, load, compare } = useEdit(props);
  const remove = useAction(async () => {
    const before = base.peek();
    if (before === undefined) return;
    try {
      const idempotencyKey = form.idempotencyKey.read();
      await own.pets.delete(pet.id, { ifMatch: before, idempotencyKey });
      onRemoved(pet.id);
      showNotice(texts.deleted(before.name));
      onClose();
    } catch (error) {
      step.value = { is: 'edit' };
      await compare(error, before, (now) => {
        base.value = now;
        throw new Error(texts.notDeleted);
      });
    }
  });
  const save = form.action;
  const isSending = save.isRunning || remove.isRunning;
  const continueFrom = (now: Pet) => {
    base.value = now;
    step.value = { is: 'edit' };
    form.idempotencyKey.renew();
  };
  return (
    <Dialog
      title={screenTexts.titleOf(pet.id)}
      onClose={onClose}
      isBusy={isSending}
      mayLeave={save.isSlow || remove.isSlow}
      isDirty={!isSameDraft(form.draft.value, draftOf(base.value ?? pet))}
    >
      {step.value.is === 'gone' ? (
        <Gone onClose={onClose} />
      ) : step.value.is === 'conflict' ? (
        <Conflict
          mine={form.draft.value}
          theirs={step.value.now}
          onMine={(now) => {
            continueFrom(now);
            save.run();
          }}
          onTheirs={(now) => {
            continueFrom(now);
            form.draft.value = formDraftOf(now);
          }}
        />
      ) : (
        <Form action={save}>
          <AnimalFields draft={form.draft.value} faults={form.faults} onDraft={form.change} />
          <Fault message={load.fault ?? save.fault ?? remove.fault} />
          {step.value.is === 'delete' && <p class="question">{texts.deleteQuestion(pet.name)}</p>}
          <footer>
            <EditButtons
              step={step}
              isReady={base.value !== undefined}
              isBusy={isSending || load.isRunning}
              isSaving={save.isRunning}
              onRetry={load.fault === undefined ? undefined : load.run}
              onDelete={remove.run}
            />
          </footer>
        </Form>
      )}
    </Dialog>
  );
}

/** The buttons of the form, or those of the question before a deletion. */
function EditButtons(props: {
  readonly step: { value: Step };
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly isSaving: boolean;
  /** Reads the animal again after a failure. */
  readonly onRetry: (() => void) | undefined;
  readonly onDelete: () => void;
}) {
  const { step, isReady, isBusy, isSaving, onRetry, onDelete } = props;
  const goTo = (is: 'edit' | 'delete') => () => {
    step.value = { is };
  };
  if (step.value.is === 'delete') {
    return (
      <>
        <Button onClick={goTo('edit')}>{texts.doNotDelete}</Button>
        <Button kind="danger" disabled={isBusy} onClick={onDelete}>
          {common.deletePermanently}
        </Button>
      </>
    );
  }
  return (
    <>
      <Button kind="quiet" disabled={isBusy} onClick={goTo('delete')}>
        {texts.delete}
      </Button>
      <span class="gap" />
      <GoBack disabled={isSaving} />
      {!isReady && onRetry !== undefined && !isBusy ? (
        <Button key="again" kind="main" onClick={onRetry}>
          {common.tryAgain}
        </Button>
      ) : (
        <Button key="save" kind="main" type="submit" disabled={isBusy || !isReady}>
          {isSaving ? common.saving : common.save}
        </Button>
      )}
    </>
  );
}

function Gone({ onClose }: { readonly onClose: () => void }) {
  return (
    <>
      <p>{texts.gone}</p>
      <footer>
        <Button kind="main" onClick={onClose}>
          {common.close}
        </Button>
      </footer>
    </>
  );
}
