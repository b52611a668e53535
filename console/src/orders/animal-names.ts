import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Order } from '../../../client/src/contract.ts';
import { listen } from '../api/live.ts';
import { createBatch } from '../api/read-batch.ts';
import { currentApi, hasScope } from '../api/session.ts';

/** The current names of the animals of the orders. */
export function useAnimalNames(
  orders: readonly Order[],
  version: number,
): ReadonlyMap<bigint, string> {
  const names = useSignal<ReadonlyMap<bigint, string>>(new Map());
  const requested = useMemo(() => new Set<bigint>(), []);
  const batch = useMemo(
    () =>
      createBatch(async (ids, signal) => {
        const found = await readNames(ids, signal);
        names.value = new Map([...names.peek(), ...found]);
      }),
    [],
  );
  useEffect(() => {
    const stopListening = listen((update) => {
      if (update === 'reset' || update.event.type !== 'pet.updated') return;
      const { id, name } = update.event.data;
      if (requested.has(id)) names.value = new Map(names.peek()).set(id, name);
    });
    return () => {
      stopListening();
      batch.stop();
    };
  }, []);
  useEffect(() => {
    if (!hasScope('pets:read')) return;
    for (const { petId } of orders) {
      if (requested.has(petId)) continue;
      requested.add(petId);
      batch.want(petId);
    }
  }, [orders, version]);
  return names.value;
}

/** The names of at most a hundred animals, by their numbers. Deleted animals have none. */
export async function readNames(
  ids: readonly bigint[],
  signal: AbortSignal,
): Promise<ReadonlyMap<bigint, string>> {
  const pets = await currentApi().pets.list({ ids, limit: 100 }, { signal }).toArray({ max: 100 });
  return new Map(pets.map(({ id, name }) => [id, name]));
}
