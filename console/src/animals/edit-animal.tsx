import { useSignal } from '@preact/signals';
import type { Pet } from '../../../client/src/contract.ts';
import { changeAsShown } from '../api/as-shown.ts';
import { currentApi } from '../api/session.ts';
import { categoryName, categoryNames } from '../categories/categories-state.ts';
import { Confirm } from '../parts/dialog.tsx';
import { Status } from '../parts/display.tsx';
import { EditDialog } from '../parts/edit.tsx';
import { showNotice } from '../parts/notices.tsx';
import { animalName, refusalOf, formTexts as texts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { AnimalFields, ensureDraftCategory, faultsOf } from './animal-form.tsx';
import { changeOf, draftOf, isSameDraft, members, showMember, tidyDraft } from './members.ts';
import { undoDeletion, undoEdit } from './undo-animal.ts';

/** An empty change returns the animal with its version. */
const read = (id: bigint) => currentApi().pets.update(id, {});

/** Edits an animal, or asks whether to delete it. */
export function EditAnimal({ pet }: { readonly pet: Pet }) {
  const deleted = useSignal<Pet | undefined>(undefined);
  if (deleted.value !== undefined) return <DeleteAnimal pet={deleted.value} />;
  return (
    <EditDialog
      title={common.actionOn(common.edit, animalName(pet))}
      row={pet}
      draftOf={draftOf}
      faultsOf={faultsOf}
      isSame={(draft, row) => isSameDraft(tidyDraft(draft, draftOf(row)), draftOf(row))}
      describe={(draft) =>
        members.map((member) => [common[member.name], showMember(member, draft, categoryNames)])
      }
      save={async (draft, base, options) => {
        const categoryId = await ensureDraftCategory(draft, options.idempotencyKey);
        const change = changeOf(tidyDraft(draft.peek(), draftOf(base)), categoryId, base);
        return currentApi().pets.update(pet.id, change, options);
      }}
      read={() => read(pet.id)}
      refusalOf={(now) => refusalOf(pet, now)}
      onSaved={(saved, before) =>
        showNotice(common.saved(animalName(saved)), undoEdit(before, saved))
      }
      other={{
        text: common.deleteWithQuestion,
        run(base) {
          deleted.value = base;
        },
      }}
    >
      {(form) => <AnimalFields form={form} />}
    </EditDialog>
  );
}

/** Asks before an animal is deleted. If another user has changed it, it is shown again first. */
export function DeleteAnimal({ pet }: { readonly pet: Pet }) {
  const shown = useSignal(pet);
  const { status, categoryId } = shown.value;
  return (
    <Confirm
      title={texts.deleteQuestion(shown.value)}
      hint={texts.deleteHint}
      yes={common.delete}
      act={async (idempotencyKey) => {
        const before = shown.peek();
        await changeAsShown(before, {
          send: (ifMatch) => currentApi().pets.delete(pet.id, { ifMatch, idempotencyKey }),
          read: () => read(pet.id),
          changed(now) {
            shown.value = now ?? before;
            throw new Error(now === undefined ? refusalOf(pet, now) : texts.notDeleted);
          },
        });
        showNotice(common.deleted(animalName(before)), undoDeletion(before));
      }}
    >
      <p>
        {categoryName(categoryId) ?? String(categoryId)} <Status status={status} />
      </p>
    </Confirm>
  );
}
