import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Order } from '../../../client/src/contract.ts';
import { listen } from '../api/live.ts';
import { createBatch } from '../api/read-batch.ts';
import { currentApi } from '../api/session.ts';
import { reservationTexts as texts } from '../texts/orders.ts';
import { Reservation } from './order-facts.tsx';

/** The order that reserves an animal, as far as it is known. `none` if its status was set without an order. */
type Found = Order | 'none' | 'failed';

type Reservations = ReturnType<typeof createReservations>;

/** The reservations of the animals of a list. Only those of the rows near the sight are read. */
export function useReservations(): Reservations {
  const reservations = useMemo(createReservations, []);
  useEffect(() => {
    const stopListening = listen((update) => {
      if (update === 'reset') reservations.readAll();
      // The event of an order has no note.
      else if (update.event.type === 'order.created' || update.event.type === 'order.updated') {
        reservations.read(update.event.data.petId);
      }
    });
    return () => {
      stopListening();
      reservations.stop();
    };
  }, []);
  return reservations;
}

/** For whom an animal is reserved, and until when, in its row. */
export function ReservedFor(props: {
  readonly petId: bigint;
  readonly reservations: Reservations;
}) {
  const { petId, reservations } = props;
  useEffect(() => reservations.show(petId), [petId, reservations]);
  const found = reservations.of(petId);
  if (found === undefined) return null;
  if (typeof found === 'object') return <Reservation order={found} />;
  return <span class="reservation">{found === 'none' ? texts.none : texts.failed}</span>;
}

function createReservations() {
  const found = signal<ReadonlyMap<bigint, Found>>(new Map());
  /** How many rows show each animal. */
  const shownCounts = new Map<bigint, number>();
  const batch = createBatch(read, (petIds) => {
    // What was read before is still shown.
    keep(petIds.filter((id) => !found.peek().has(id)).map((id) => [id, 'failed']));
  });

  async function read(petIds: readonly bigint[], stopped: AbortSignal): Promise<void> {
    const orders = await currentApi()
      .orders.list({ status: 'pending', petId: petIds, limit: 100 }, { signal: stopped })
      .toArray({ max: 100 });
    const byAnimal = new Map(orders.map((order) => [order.petId, order]));
    keep(petIds.map((id) => [id, byAnimal.get(id) ?? 'none']));
  }

  /** Keeps what was found for animals that are still in sight. */
  function keep(more: readonly (readonly [bigint, Found])[]): void {
    const inSight = [...found.peek(), ...more].filter(([id]) => shownCounts.has(id));
    found.value = new Map(inSight);
  }

  return {
    of: (petId: bigint): Found | undefined => found.value.get(petId),
    read(petId: bigint): void {
      if (shownCounts.has(petId)) batch.want(petId);
    },
    readAll(): void {
      for (const id of shownCounts.keys()) batch.want(id);
    },
    /** Reads the reservation of an animal that comes into sight. Returns what its row calls when it leaves. */
    show(petId: bigint): () => void {
      // Another order may reserve it since it was in sight.
      if (!shownCounts.has(petId)) keep([]);
      shownCounts.set(petId, (shownCounts.get(petId) ?? 0) + 1);
      batch.want(petId);
      return () => {
        const count = (shownCounts.get(petId) ?? 1) - 1;
        if (count > 0) shownCounts.set(petId, count);
        else {
          shownCounts.delete(petId);
          batch.drop(petId);
        }
      };
    },
    stop: batch.stop,
  };
}
