import type { Pet, PetStatus } from '../../../client/src/contract.ts';
import { petStatuses } from '../../../src/domain/pet.ts';
import { noCategory } from '../categories/category-choice.ts';
import { CategoryPicker, categoryFault, ensureCategory } from '../categories/category-picker.tsx';
import { groupBy } from '../files/group-by.ts';
import { useAction } from '../parts/action.ts';
import { Button } from '../parts/controls.tsx';
import { Confirm, FormDialog, useDialog, useForm } from '../parts/dialog.tsx';
import { bulkKinds, texts } from '../texts/bulk.ts';
import { common } from '../texts/common.ts';
import { BulkProgress } from './bulk-progress.tsx';
import { changeMany, isChangingMany } from './bulk-run.ts';

interface BulkProps {
  readonly pets: readonly Pet[];
  /** Reads the list to its end first. */
  readonly onSelectAll: () => Promise<void>;
  readonly onClear: () => void;
}

/** The actions for all selected animals, or the progress of their change. */
export function BulkBar({ pets, onSelectAll, onClear }: BulkProps) {
  const selecting = useAction(onSelectAll);
  const isBusy = selecting.isRunning;
  const count = pets.length;
  const { dialog, open } = useDialog({
    status: (status: PetStatus) => (
      <Confirm
        title={texts.setToQuestion(count, status)}
        hint={texts.setToHint(countStatuses(pets))}
        yes={texts.setTo(status)}
        kind="main"
        act={async () => changeMany(pets, bulkKinds.setTo(status), { status })}
      />
    ),
    category: () => <SetCategory pets={pets} />,
    delete: () => (
      <Confirm
        title={texts.deleteQuestion(count)}
        hint={texts.deleteHint}
        yes={common.delete}
        act={async () => changeMany(pets, bulkKinds.delete, 'deleted')}
      />
    ),
  });
  return (
    <div class="bulk-area">
      <BulkProgress />
      {!isChangingMany.value && count > 0 && (
        <section class="bulk" aria-label={texts.title}>
          <div class="bulk-actions">
            <p>{texts.selected(count)}</p>
            {petStatuses.map((status) => (
              <Button key={status} disabled={isBusy} onClick={() => open('status', status)}>
                {texts.setTo(status)}
              </Button>
            ))}
            <Button disabled={isBusy} onClick={() => open('category')}>
              {texts.setCategory}
            </Button>
            <Button kind="danger" disabled={isBusy} onClick={() => open('delete')}>
              {common.deleteWithQuestion}
            </Button>
            <Button kind="quiet" disabled={isBusy} onClick={selecting.run}>
              {selecting.isRunning ? texts.selectingAll : texts.selectAll}
            </Button>
            <Button kind="quiet" disabled={isBusy} onClick={onClear}>
              {texts.clear}
            </Button>
          </div>
        </section>
      )}
      {dialog}
    </div>
  );
}

/** Shows which statuses would be lost: one press could undo a day of sales. */
function countStatuses(pets: readonly Pet[]): string {
  const byStatus = groupBy(pets, ({ status }) => status);
  const found = petStatuses.filter((status) => byStatus.has(status));
  return found.map((one) => texts.countOf(byStatus.get(one)?.length ?? 0, one)).join(', ');
}

function SetCategory({ pets }: { readonly pets: readonly Pet[] }) {
  const form = useForm(
    { category: noCategory },
    ({ category }) => ({ category: categoryFault(category) }),
    async ({ category }, idempotencyKey) => {
      const categoryId = await ensureCategory(category, idempotencyKey);
      changeMany(pets, bulkKinds.move, { categoryId });
      form.close();
    },
  );
  return (
    <FormDialog
      title={texts.setCategoryOf(pets.length)}
      action={form.action}
      submit={texts.setCategorySubmit}
      isDirty={form.draft.value.category.text !== ''}
    >
      <CategoryPicker {...form.field('category')} />
      <p class="hint">{texts.setCategoryHint}</p>
    </FormDialog>
  );
}
