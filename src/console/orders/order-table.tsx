import type { Order } from '../../../client/src/contract.ts';
import type { RecordList } from '../api/record-list.ts';
import { Status } from '../parts/display.tsx';
import { Table } from '../parts/table.tsx';
import { may } from '../session/session.ts';
import { common } from '../texts/common.ts';
import { texts } from '../texts/orders.ts';

export function OrderTable(props: {
  readonly list: RecordList<Order>;
  readonly status: string | undefined;
  readonly nameOf: (petId: bigint) => string | undefined;
  readonly onHandOver: (order: Order) => void;
  readonly onCancel: (order: Order) => void;
}) {
  const { list, status, nameOf, onHandOver, onCancel } = props;
  const canWrite = may('orders:write');
  return (
    <Table
      label={texts.title}
      layout="orders"
      rows={list.rows.items}
      idOf={({ id }) => id}
      listKey={`${status ?? ''} ${list.rows.generation.value}`}
      state={list.state.value}
      message={list.message.value}
      onMore={() => void list.loadMore()}
      rowClass={(order) => (status === undefined || order.status === status ? '' : 'elsewhere')}
      columns={[
        { heading: common.number, class: 'number', cell: ({ id }) => String(id) },
        {
          heading: texts.animal,
          class: 'name',
          cell: ({ id, petId }) => (
            <>
              {nameOf(petId) === undefined ? texts.animal : <bdi>{nameOf(petId)}</bdi>}
              {texts.inBrackets(petId)} <small class="short">{texts.orderNumber(id)}</small>
            </>
          ),
        },
        { heading: common.status, class: 'state', cell: Status },
        {
          heading: texts.handedOver,
          class: 'date',
          cell: ({ shipDate, complete }) => (shipDate && complete ? formatDay(shipDate) : ''),
        },
      ]}
      nameOf={({ id }) => texts.orderNumber(id)}
      actions={(order) =>
        canWrite && order.status === 'pending'
          ? [
              [texts.handOver, () => onHandOver(order)],
              [texts.cancel, () => onCancel(order)],
            ]
          : []
      }
    />
  );
}

function formatDay(time: string): string {
  return new Date(time).toLocaleDateString(undefined, { dateStyle: 'medium' });
}
