import { useLayoutEffect } from 'preact/hooks';
import type { Order, Pet } from '../../../client/src/contract.ts';
import { hasScope } from '../api/session.ts';
import { CancelReservation, HandOver } from '../orders/order-dialogs.tsx';
import type { Reserved } from '../orders/reservations.tsx';
import type { RowAction } from '../parts/actions.tsx';
import { useDialog } from '../parts/dialog.tsx';
import { route } from '../route.ts';
import { releaseTexts } from '../texts/animal.ts';
import { animalName, saleTexts } from '../texts/animals.ts';
import { common } from '../texts/common.ts';
import { cancelTexts, handOverTexts } from '../texts/orders.ts';
import { AddAnimal } from './animal-form.tsx';
import { DeleteAnimal, EditAnimal } from './edit-animal.tsx';
import { Release, Sale } from './sale.tsx';

export type AnimalDialogs = ReturnType<typeof useAnimalDialogs>;

/** What can be done with an animal, in its row and on its page. A dialog keeps the animal with which it was opened. */
export function useAnimalDialogs(place: 'list' | 'page') {
  const { record } = route.value;
  const { dialog, open, close } = useDialog(
    {
      add: () => <AddAnimal />,
      sell: (pet: Pet) => <Sale pet={pet} isSale />,
      reserve: (pet: Pet) => <Sale pet={pet} isSale={false} />,
      handOver: (order: Order, animal: string) => <HandOver order={order} animal={animal} />,
      cancel: (order: Order, animal: string) => <CancelReservation order={order} animal={animal} />,
      release: (pet: Pet) => <Release pet={pet} />,
      edit: (pet: Pet) => <EditAnimal pet={pet} />,
      delete: (pet: Pet) => <DeleteAnimal pet={pet} />,
    },
    undefined,
    place,
  );
  // The dialog of another animal would stay.
  useLayoutEffect(() => close, [record]);

  function actionsOf(pet: Pet, reserved: Reserved | undefined): readonly RowAction[] {
    const { letters } = common;
    return [
      ...(hasScope('orders:write') ? ordersOf(pet, reserved, open) : []),
      ...(hasScope('pets:write')
        ? [
            {
              text: common.edit,
              letter: letters.edit,
              is: 'edit' as const,
              run: () => open('edit', pet),
            },
            {
              text: common.deleteWithQuestion,
              letter: letters.delete,
              run: () => open('delete', pet),
            },
          ]
        : []),
    ];
  }
  return { dialog, open, actionsOf };
}

/** Selling and reserving, by the status of an animal and its open order, which may not be read yet. */
function ordersOf(
  pet: Pet,
  reserved: Reserved | undefined,
  open: AnimalDialogs['open'],
): readonly RowAction[] {
  const { action: sell, letter: sellLetter } = saleTexts.sell;
  const { action: reserve, letter: reserveLetter } = saleTexts.reserve;
  const { action: handOver, letter: handOverLetter } = handOverTexts;
  const { action: cancel, letter: cancelLetter } = cancelTexts;
  const reserving = { text: reserve, letter: reserveLetter, run: () => open('reserve', pet) };
  if (pet.status === 'available') {
    return [
      { ...reserving, is: 'main' },
      { text: sell, letter: sellLetter, run: () => open('sell', pet) },
    ];
  }
  if (pet.status !== 'pending' || reserved === undefined) return [];
  if (reserved !== 'none') {
    const animal = animalName(pet);
    return [
      {
        text: handOver,
        letter: handOverLetter,
        is: 'main',
        run: () => open('handOver', reserved, animal),
      },
      { text: cancel, letter: cancelLetter, run: () => open('cancel', reserved, animal) },
    ];
  }
  // Its status was set without an order, for example by an import.
  if (!hasScope('pets:write')) return [];
  return [
    { text: handOver, letter: handOverLetter, is: 'main', run: () => open('sell', pet) },
    { ...reserving, text: releaseTexts.name },
    { text: cancel, letter: cancelLetter, run: () => open('release', pet) },
  ];
}
