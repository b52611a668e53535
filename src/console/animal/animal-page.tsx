import type { Pet } from '../../../client/src/contract.ts';
import { EditAnimal } from '../animals/edit-animal.tsx';
import { hasScope } from '../api/session.ts';
import { categoryName } from '../categories/categories-state.ts';
import { useDialog } from '../parts/dialog.tsx';
import { Failed, Loading, type RowAction, RowActions, Status } from '../parts/display.tsx';
import { useRecordTitle } from '../parts/record-title.ts';
import { addressOf } from '../route.ts';
import { texts } from '../texts/animal.ts';
import { categoryTexts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { NoAnimal } from './no-animal.tsx';
import { useAnimal } from './use-animal.ts';

/** One animal. */
export function AnimalPage({ id }: { readonly id: bigint }) {
  const { state, load } = useAnimal(id);
  const pet = state.is === 'found' ? state.pet : state.is === 'absent' ? state.last : undefined;
  const title = pet === undefined ? texts.title(id) : texts.titleAfterName(id);
  useRecordTitle(title, pet?.name);
  if (state.is === 'loading') return <Loading />;
  if (state.is === 'failed') {
    return <Failed title={texts.readFailed} message={state.message} onRetry={load} />;
  }
  if (state.is === 'absent') return <NoAnimal title={texts.none(id)} />;
  return <Details pet={state.pet} />;
}

/** The members of an animal, and its actions. */
function Details({ pet }: { readonly pet: Pet }) {
  const { id, name, categoryId, status } = pet;
  const { dialog, open } = useDialog({
    edit: () => <EditAnimal pet={pet} />,
  });
  const actions: RowAction[] = [];
  if (hasScope('pets:write')) actions.push({ text: common.edit, run: () => open('edit') });
  const category = categoryName(categoryId);
  return (
    <section class="sheet animal" aria-label={texts.members}>
      <dl>
        <dt>{common.category}</dt>
        <dd>
          <a href={addressOf('animals', { category: String(categoryId) })}>
            {category === undefined
              ? String(categoryId)
              : categoryTexts.named(category, String(categoryId))}
          </a>
        </dd>
        <dt>{common.status}</dt>
        <dd>
          <Status status={status} />
        </dd>
        <dt>{common.number}</dt>
        <dd class="number">{String(id)}</dd>
      </dl>
      <div class="actions">
        <RowActions of={name} actions={actions} />
      </div>
      {dialog}
    </section>
  );
}
