import type { Pet } from '../../../client/src/contract.ts';
import { hasScope } from '../api/session.ts';
import { categoryName } from '../categories/categories-state.ts';
import type { RecordList } from '../lists/record-list.ts';
import { ReservedFor, useReservations } from '../orders/reservations.tsx';
import { type RowAction, Status } from '../parts/display.tsx';
import { addressOf } from '../route.ts';
import type { Selection } from '../tables/selection.ts';
import { numberColumn, Table } from '../tables/table.tsx';
import { animalName, saleTexts, texts } from '../texts/animals.ts';
import { common, frame } from '../texts/common.ts';
import { visibleName } from '../texts/short-name.ts';
import type { Match, Order } from './filter.ts';

export function AnimalTable(props: {
  readonly list: RecordList<Pet>;
  readonly matches: Match;
  readonly order: Order;
  readonly selection: Selection<Pet>;
  /** During a change of the selected animals, the selection stays. */
  readonly isFixed: boolean;
  readonly onOpen: (dialog: 'edit' | 'sell' | 'reserve', pet: Pet) => void;
}) {
  const { list, matches, order, selection, isFixed, onOpen } = props;
  const { gone } = list.rows;
  const canWrite = hasScope('pets:write');
  const canReadOrders = hasScope('orders:read');
  const reservations = useReservations(list.rows.pagesInSight);

  function actionsOf(pet: Pet): readonly RowAction[] {
    const { id, status } = pet;
    const actions: RowAction[] = [];
    if (gone.has(id)) return actions;
    if (status === 'available' && hasScope('orders:write')) {
      actions.push({ text: saleTexts.sell.action, run: () => onOpen('sell', pet) });
      actions.push({ text: saleTexts.reserve.action, run: () => onOpen('reserve', pet) });
    }
    if (status !== 'available' && canReadOrders) {
      const address = addressOf('animals', {}, id);
      const label = saleTexts.ordersFor(animalName(pet));
      actions.push({ text: frame.titles.orders, address, label });
    }
    if (canWrite) actions.push({ text: common.edit, run: () => onOpen('edit', pet) });
    return actions;
  }

  return (
    <Table
      list={list}
      label={frame.titles.animals}
      layout="animals"
      narrowLines="two"
      onOpen={canWrite ? (pet) => onOpen('edit', pet) : undefined}
      selection={
        canWrite ? { of: selection, canSelect: ({ id }) => !gone.has(id), isFixed } : undefined
      }
      rowClass={(pet) => (gone.has(pet.id) ? 'gone' : matches(pet) ? '' : 'elsewhere')}
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
      actions={actionsOf}
    />
  );
}
