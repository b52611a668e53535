import { useMemo } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { randomHex } from '../../../client/src/json.ts';
import { api } from '../api/api.ts';
import { Confirm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { saleTexts as texts } from '../texts/animals.ts';

/** Sells or reserves an animal. Both place an order; a sale also hands it over. */
export function Sale(props: {
  readonly pet: Pet;
  readonly isSale: boolean;
  readonly onDone: (pet: Pet) => void;
  readonly onClose: () => void;
}) {
  const { pet, isSale, onDone, onClose } = props;
  const { id: petId, name } = pet;
  // A retry continues with the same order.
  const idempotencyKey = useMemo(() => `sale-${randomHex()}`, []);

  async function act(): Promise<void> {
    const own = api;
    try {
      const { id } = await own.orders.create({ petId }, { idempotencyKey });
      if (isSale) {
        const shippedKey = `${idempotencyKey}-shipped`;
        await own.orders.update(id, { status: 'shipped' }, { idempotencyKey: shippedKey });
      }
      onDone({ ...pet, status: isSale ? 'sold' : 'pending' });
      showNotice(isSale ? texts.sold(name, id) : texts.reserved(name, id));
    } catch (error) {
      if (!isAnimalStoreError(error, 'pet_not_available')) throw error;
      throw new Error(texts.unavailable(name));
    }
  }

  return (
    <Confirm
      title={isSale ? texts.sellQuestion(name) : texts.reserveQuestion(name)}
      yes={isSale ? texts.sell : texts.reserveSubmit}
      kind="main"
      act={act}
      onClose={onClose}
    >
      {isSale ? texts.sellHint : texts.reserveHint}
    </Confirm>
  );
}
