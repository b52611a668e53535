import { useRef } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { useAnimalDialogs } from '../animals/animal-dialogs.tsx';
import { messageOf } from '../api/service.ts';
import { hasScope } from '../api/session.ts';
import { PageActions } from '../parts/actions.tsx';
import { Failed, Loading } from '../parts/display.tsx';
import { useRecordTitle } from '../parts/record-title.ts';
import { addressOf, listQueries } from '../route.ts';
import { isWide } from '../tables/media.ts';
import { texts } from '../texts/animal.ts';
import { animalName, numberAfterName } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { AnimalOrders } from './animal-orders.tsx';
import { DeletedAnimal } from './deleted-animal.tsx';
import { Details } from './details.tsx';
import { AnimalHistory, lastOf, useHistory } from './history.tsx';
import { NoAnimal } from './no-animal.tsx';
import { useAnimal } from './use-animal.ts';
import { openOrderOf, reservedBy, useOrders } from './use-orders.ts';

/** One animal, with its orders and its history. */
export function AnimalPage({ id }: { readonly id: bigint }) {
  const dialogs = useAnimalDialogs('page');
  const { data, error, isFetching, isFetchedAfterMount, refetch } = useAnimal(id);
  const orders = useOrders(id);
  const log = useHistory(id, orders);
  const last = useRef<Pet | undefined>(undefined);
  // What the cache has from an earlier visit can be older than the deletion.
  if (data && isFetchedAfterMount) last.current = data;
  // Its events show what a deleted animal was.
  const pet = data === null ? (lastOf(log) ?? last.current) : data;
  useRecordTitle(pet === undefined ? texts.title(id) : numberAfterName(id), pet?.name);
  if (data === undefined) {
    if (error === null || isFetching) return <Loading />;
    const retry = () => void refetch();
    return <Failed title={texts.readFailed} message={messageOf(error)} onRetry={retry} />;
  }
  if (pet === undefined) {
    const events = hasScope('events:read') ? (log?.state.value ?? 'loading') : 'none';
    if (events === 'loading') return <Loading />;
    if (events !== 'failed') return <NoAnimal title={texts.none(id)} />;
    const retry = () => void log?.read(() => true);
    return <Failed title={texts.readFailed} message={log?.message.value ?? ''} onRetry={retry} />;
  }
  const isDeleted = data === null;
  return (
    <div class="sheet record">
      <a class="back" href={addressOf('animals', Object.fromEntries(listQueries.animals.value))}>
        {isWide.value ? common.close : texts.back}
      </a>
      {isDeleted ? (
        <DeletedAnimal pet={pet} />
      ) : (
        <div class="actions">
          <PageActions of={animalName(pet)} actions={dialogs.actionsOf(pet, reservedBy(orders))} />
        </div>
      )}
      <Details pet={pet} />
      <AnimalOrders orders={orders} pet={pet} />
      <AnimalHistory
        log={log}
        pet={isDeleted ? undefined : pet}
        // The open order owns the status of its animal.
        mayChangeStatus={openOrderOf(orders) === undefined}
      />
      {dialogs.dialog}
    </div>
  );
}
