import { hasScope } from '../api/session.ts';
import { Failed, Loading } from '../parts/display.tsx';
import { useRecordTitle } from '../parts/record-title.ts';
import { texts } from '../texts/animal.ts';
import { numberAfterName } from '../texts/animals.ts';
import { AnimalActions } from './animal-actions.tsx';
import { AnimalOrders } from './animal-orders.tsx';
import { DeletedAnimal } from './deleted-animal.tsx';
import { Details } from './details.tsx';
import { AnimalHistory, lastOf, useHistory } from './history.tsx';
import { NoAnimal } from './no-animal.tsx';
import { useAnimal } from './use-animal.ts';
import { openOrderOf, useOrders } from './use-orders.ts';

/** One animal, with its orders and its history. */
export function AnimalPage({ id }: { readonly id: bigint }) {
  const { state, load } = useAnimal(id);
  const orders = useOrders(id);
  const log = useHistory(id, orders.state);
  const last = state.is === 'absent' ? (state.last ?? lastOf(log)) : undefined;
  const pet = state.is === 'found' ? state.pet : last;
  useRecordTitle(pet === undefined ? texts.title(id) : numberAfterName(id), pet?.name);
  if (state.is === 'loading') return <Loading />;
  if (state.is === 'failed') {
    return <Failed title={texts.readFailed} message={state.message} onRetry={load} />;
  }
  if (pet === undefined) {
    // Its events show what it was.
    const events = hasScope('events:read') ? (log?.state.value ?? 'loading') : 'none';
    if (events === 'loading') return <Loading />;
    if (events !== 'failed') return <NoAnimal title={texts.none(id)} />;
    const retry = () => void log?.read(() => true);
    return <Failed title={texts.readFailed} message={log?.message.value ?? ''} onRetry={retry} />;
  }
  const isDeleted = state.is === 'absent';
  return (
    <div class="sheet record">
      {isDeleted ? <DeletedAnimal pet={pet} /> : <AnimalActions pet={pet} orders={orders.state} />}
      <Details pet={pet} />
      <AnimalOrders orders={orders} pet={pet} />
      <AnimalHistory
        log={log}
        pet={isDeleted ? undefined : pet}
        // The open order owns the status of its animal.
        mayChangeStatus={openOrderOf(orders.state) === undefined}
      />
    </div>
  );
}
