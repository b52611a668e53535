import { type Signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Pet, PetPatch, PetStatus } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { petStatuses } from '../../domain/pet.ts';
import { inParallel } from '../api/in-parallel.ts';
import { announceOwnChange } from '../api/live.ts';
import { type Api, messageOf } from '../api/service.ts';
import { currentApi } from '../api/session.ts';
import { noCategory } from '../categories/category-choice.ts';
import { CategoryPicker, categoryFault, ensureCategory } from '../categories/category-picker.tsx';
import { useAction, useUnmounted } from '../parts/action.ts';
import { Button } from '../parts/controls.tsx';
import { Confirm, FormDialog, useDialog, useForm } from '../parts/dialog.tsx';
import { showFailure, showNotice } from '../parts/notices.tsx';
import { bulkTexts as texts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { draftOf, isSameDraft } from './members.ts';

/** What an animal becomes. */
type Change = PetPatch | 'deleted';

interface BulkProps {
  readonly pets: readonly Pet[];
  /** Of the change that runs, if any. Until it ends, the selection stays. */
  readonly doneCount: Signal<number | undefined>;
  /** Reads the list to its end first. */
  readonly onSelectAll: () => Promise<void>;
  /** With the animals that were not changed. */
  readonly onDone: (remaining: readonly Pet[]) => void;
}

/** Changes all selected animals, and lists those that were not changed, with the reason. */
function useBulkChange({ pets, doneCount, onDone }: BulkProps) {
  const faults = useSignal<readonly string[]>([]);
  // In another session or workspace, the numbers are those of other animals.
  const sessionApi = useMemo(currentApi, []);
  const unmounted = useUnmounted();

  /** `prepare` returns the change of each animal. `what` names it in messages. */
  async function changeAll(
    what: string,
    prepare: (sessionApi: Api) => Promise<Change>,
  ): Promise<void> {
    if (doneCount.peek() !== undefined) throw new Error(texts.busy);
    doneCount.value = 0;
    const failed: string[] = [];
    const unchanged: Pet[] = [];
    const act = async (pet: Pet, change: Change) => {
      const fail = (reason: string) => failed.push(`${pet.name} (${pet.id}): ${reason}`);
      try {
        const { isDone, now } = await changeOne(sessionApi, pet, change);
        if (!isDone) {
          fail(texts.changedSince(now.status));
          unchanged.push(now);
        }
        const isDeleted = isDone && change === 'deleted';
        announceOwnChange({ type: isDeleted ? 'pet.deleted' : 'pet.updated', data: now });
      } catch (error) {
        fail(messageOf(error));
        if (!isAnimalStoreError(error, 'not_found')) unchanged.push(pet);
        else announceOwnChange({ type: 'pet.deleted', data: pet });
      }
      doneCount.value = (doneCount.peek() ?? 0) + 1;
    };
    try {
      const change = await prepare(sessionApi);
      await inParallel(pets, 4, (pet) => act(pet, change), unmounted);
      if (unmounted.aborted) {
        const count = (doneCount.peek() ?? 0) - failed.length;
        showFailure(texts.stopped(count, pets.length, what));
        return;
      }
    } finally {
      doneCount.value = undefined;
    }
    faults.value = failed;
    showNotice(texts.done(pets.length - failed.length, what));
    onDone(unchanged);
  }

  return { faults: faults.value, changeAll };
}

/** Changes an animal unless another user has changed it since it was selected. */
async function changeOne({ pets }: Api, pet: Pet, change: Change) {
  // A list has no versions, and a selected animal may be sold since.
  const read = () => pets.update(pet.id, {});
  const now = await read();
  if (!isSameDraft(draftOf(now), draftOf(pet))) return { isDone: false, now };
  try {
    if (change === 'deleted') await pets.delete(pet.id, { ifMatch: now });
    else return { isDone: true, now: await pets.update(pet.id, change, { ifMatch: now }) };
  } catch (error) {
    if (!isAnimalStoreError(error, 'precondition_failed')) throw error;
    return { isDone: false, now: await read() };
  }
  return { isDone: true, now };
}

/** The actions for all selected animals. */
export function BulkBar(props: BulkProps) {
  const { pets, doneCount, onSelectAll, onDone } = props;
  const { faults, changeAll } = useBulkChange(props);
  const selecting = useAction(onSelectAll);
  const isChanging = doneCount.value !== undefined;
  const isBusy = isChanging || selecting.isRunning;
  const count = pets.length;
  const { dialog, open } = useDialog({
    status: (status: PetStatus) => (
      <Confirm
        title={texts.setToQuestion(count, status)}
        hint={texts.setToHint(countStatuses(pets))}
        yes={texts.setTo(status)}
        kind="main"
        act={() => changeAll(texts.wasSetTo(status), async () => ({ status }))}
      />
    ),
    category: () => <SetCategory count={count} changeAll={changeAll} />,
    delete: () => (
      <Confirm
        title={texts.deleteQuestion(count)}
        hint={texts.deleteHint}
        yes={common.deletePermanently}
        act={() => changeAll(texts.wereDeleted, async () => 'deleted')}
      />
    ),
  });
  return (
    <section class="bulk" aria-label={texts.title}>
      <div class="bulk-actions">
        <p>{isChanging ? texts.progress(doneCount.value, count) : texts.selected(count)}</p>
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
        <Button kind="quiet" disabled={isBusy} onClick={() => onDone([])}>
          {texts.clear}
        </Button>
      </div>
      {faults.length > 0 && (
        <div role="alert" class="fault">
          <p>{texts.notChanged(faults.length)}</p>
          <ul>
            {faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </div>
      )}
      {dialog}
    </section>
  );
}

/** Shows which statuses would be lost: one press could undo a day of sales. */
function countStatuses(pets: readonly Pet[]): string {
  const byStatus = Map.groupBy(pets, ({ status }) => status);
  const found = petStatuses.filter((status) => byStatus.has(status));
  return found.map((one) => texts.countOf(byStatus.get(one)?.length ?? 0, one)).join(', ');
}

function SetCategory(props: {
  readonly count: number;
  readonly changeAll: ReturnType<typeof useBulkChange>['changeAll'];
}) {
  const form = useForm(
    { category: noCategory },
    ({ category }) => ({ category: categoryFault(category) }),
    async ({ category }, idempotencyKey) => {
      await props.changeAll(texts.wereMoved, async (sessionApi) => ({
        categoryId: await ensureCategory(category, idempotencyKey, sessionApi),
      }));
      form.close();
    },
  );
  return (
    <FormDialog
      title={texts.setCategoryOf(props.count)}
      action={form.action}
      submit={texts.setCategorySubmit}
      isDirty={form.draft.value.category.text !== ''}
    >
      <CategoryPicker {...form.field('category')} />
      <p class="hint">{texts.setCategoryHint}</p>
    </FormDialog>
  );
}
