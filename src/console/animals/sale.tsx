import { useRef } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { randomHex } from '../../../client/src/json.ts';
import { api } from '../api/api.ts';
import { Confirm } from '../parts/dialog.tsx';
import { tell } from '../parts/notices.tsx';

/** Sells an animal, or keeps it for somebody: both are an order; a sale is one that is handed over at once. */
export function Sale(props: {
  readonly pet: Pet;
  readonly isSale: boolean;
  readonly onDone: (pet: Pet) => void;
  readonly onClose: () => void;
}) {
  const { pet, isSale, onDone, onClose } = props;
  // Who tries again after a failure goes on with the same order.
  const idempotencyKey = useRef(`sale-${randomHex()}`);

  async function act(): Promise<void> {
    const own = api;
    try {
      const order = await own.orders.create(
        { petId: pet.id },
        { idempotencyKey: idempotencyKey.current },
      );
      if (isSale) {
        await own.orders.update(
          order.id,
          { status: 'shipped' },
          { idempotencyKey: `${idempotencyKey.current}-shipped` },
        );
      }
      onDone({ ...pet, status: isSale ? 'sold' : 'pending' });
      tell(
        isSale
          ? `${pet.name} is sold: order ${order.id}.`
          : `${pet.name} is reserved: order ${order.id}.`,
      );
    } catch (error) {
      if (!isAnimalStoreError(error, 'pet_not_available')) throw error;
      throw new Error(`${pet.name} is not available any more: somebody was faster.`);
    }
  }

  return isSale ? (
    <Confirm title={`Sell ${pet.name}?`} yes="Sell" kind="main" act={act} onClose={onClose}>
      An order is placed and handed over at once, and the animal becomes sold. The order stays: if
      this was a mistake, edit the animal and set it to available.
    </Confirm>
  ) : (
    <Confirm
      title={`Reserve ${pet.name}?`}
      yes="Place order"
      kind="main"
      act={act}
      onClose={onClose}
    >
      An order is placed, and the animal is pending until the order is handed over or cancelled. The
      order has a number and no name: note for whom it is.
    </Confirm>
  );
}
