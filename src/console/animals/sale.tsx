import { useMemo } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { randomHex } from '../../../client/src/json.ts';
import { announceOwnChange } from '../api/live.ts';
import { currentApi } from '../api/session.ts';
import { Confirm } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { saleTexts } from '../texts/animals.ts';

/** Sells or reserves an animal. Both place an order; a sale also hands it over. */
export function Sale(props: { readonly pet: Pet; readonly isSale: boolean }) {
  const { pet, isSale } = props;
  const { id: petId, name } = pet;
  const { question, yes, hint, done } = isSale ? saleTexts.sell : saleTexts.reserve;
  // A retry continues with the same order.
  const idempotencyKey = useMemo(() => `sale-${randomHex()}`, []);

  async function act(): Promise<void> {
    const sessionApi = currentApi();
    try {
      const { id } = await sessionApi.orders.create({ petId }, { idempotencyKey });
      if (isSale) {
        const shippedKey = `${idempotencyKey}-shipped`;
        await sessionApi.orders.update(id, { status: 'shipped' }, { idempotencyKey: shippedKey });
      }
      announceOwnChange({
        type: 'pet.updated',
        data: { ...pet, status: isSale ? 'sold' : 'pending' },
      });
      showNotice(done(name, id));
    } catch (error) {
      if (!isAnimalStoreError(error, 'pet_not_available')) throw error;
      throw new Error(saleTexts.unavailable(name), { cause: error });
    }
  }

  return <Confirm title={question(name)} hint={hint} yes={yes} kind="main" act={act} />;
}
