import type { Pet } from '../../../client/src/contract.ts';
import { hasScope } from '../api/session.ts';
import { categoryName } from '../categories/categories-state.ts';
import type { RecordList } from '../lists/record-list.ts';
import { ReservedFor, useReservations } from '../orders/reservations.tsx';
import { Status } from '../parts/display.tsx';
import { addressOf, route } from '../route.ts';
import type { Selection } from '../tables/selection.ts';
import { numberColumn, Table } from '../tables/table.tsx';
import { animalName, texts } from '../texts/animals.ts';
import { common, frame } from '../texts/common.ts';
import { visibleName } from '../texts/short-name.ts';
import type { AnimalDialogs } from './animal-dialogs.tsx';
import type { Match, Order } from './filter.ts';

export function AnimalTable(props: {
  readonly list: RecordList<Pet>;
  readonly matches: Match;
  readonly order: Order;
  readonly selection: Selection<Pet>;
  /** During a change of the selected animals, the selection stays. */
  readonly isFixed: boolean;
  readonly dialogs: AnimalDialogs;
}) {
  const { list, matches, order, selection, isFixed, dialogs } = props;
  const { gone, version } = list.rows;
  const shownId = route.value.recordId;
  // Its other properties stay the same when a row changes.
  void version.value;
  const canWrite = hasScope('pets:write');
  const canReadOrders = hasScope('orders:read');
  const reservations = useReservations(list.rows.pagesInSight);

  return (
    <Table
      list={list}
      label={frame.titles.animals}
      layout="animals"
      narrowLines="two"
      onOpen={canWrite ? (pet) => dialogs.open('edit', pet) : undefined}
      selection={
        canWrite ? { of: selection, canSelect: ({ id }) => !gone.has(id), isFixed } : undefined
      }
      rowClass={(pet) =>
        `${gone.has(pet.id) ? 'gone' : matches(pet) ? '' : 'elsewhere'} ${pet.id === shownId ? 'shown' : ''}`
      }
      columns={[
        { ...numberColumn, sort: order === 'newest' ? 'descending' : 'ascending' },
        {
          heading: common.name,
          class: 'name',
          title: ({ name }) => name,
          cell: ({ id, name }, tabIndex) => (
            <>
              <a href={addressOf('animals', {}, id)} tabIndex={tabIndex}>
                <bdi>{visibleName({ id, name })}</bdi>
              </a>{' '}
              <small class="short">#{String(id)}</small>
            </>
          ),
        },
        {
          heading: common.category,
          class: 'category',
          title: ({ categoryId }) => categoryName(categoryId),
          cell: ({ categoryId }) => categoryName(categoryId) ?? String(categoryId),
        },
        {
          heading: common.status,
          class: 'state',
          cell: ({ id, status }) =>
            gone.has(id) ? (
              <span class="status">{texts.deletedState}</span>
            ) : (
              <>
                <Status status={status} />
                {status === 'pending' && canReadOrders && (
                  <ReservedFor petId={id} reservations={reservations} />
                )}
              </>
            ),
        },
      ]}
      nameOf={animalName}
      actions={(pet) =>
        gone.has(pet.id) ? [] : dialogs.actionsOf(pet, reservations.found.get(pet.id))
      }
    />
  );
}
