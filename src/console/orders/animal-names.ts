import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Order } from '../../../client/src/contract.ts';
import { api } from '../api/api.ts';
import { listen } from '../api/live.ts';

/** The current names of the animals of the orders. */
export function useAnimalNames(
  orders: readonly Order[],
  version: number,
): ReadonlyMap<bigint, string> {
  const names = useSignal<ReadonlyMap<bigint, string>>(new Map());
  const requested = useMemo(() => new Set<bigint>(), []);
  useEffect(
    () =>
      listen((heard) => {
        if (heard === 'reset' || heard.event.type !== 'pet.updated') return;
        const { id, name } = heard.event.data;
        if (requested.has(id)) names.value = new Map(names.peek()).set(id, name);
      }),
    [],
  );
  useEffect(() => {
    const ids = [...new Set(orders.map(({ petId }) => petId))].filter((id) => !requested.has(id));
    for (const id of ids) requested.add(id);
    for (let index = 0; index < ids.length; index += 100) {
      const query = { ids: ids.slice(index, index + 100), limit: 100 };
      api.pets
        .list(query)
        .toArray({ max: 100 })
        .then(
          (pets) => {
            const more = pets.map(({ id, name }) => [id, name] as const);
            names.value = new Map([...names.peek(), ...more]);
          },
          // The numbers are shown until the next attempt.
          () => {
            for (const id of query.ids) requested.delete(id);
          },
        );
    }
  }, [orders, version]);
  return names.value;
}
