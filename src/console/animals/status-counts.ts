import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Inventory } from '../../../client/src/contract.ts';
import { api } from '../api/api.ts';
import { listen } from '../api/live.ts';

/** The number of animals of each status, read again a moment after each change. */
export function useStatusCounts() {
  const counts = useSignal<Inventory | undefined>(undefined);
  const reader = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      counts.value = await api.inventory.count().catch(() => counts.peek());
    };
    return {
      read,
      later() {
        timer ??= setTimeout(() => {
          timer = undefined;
          void read();
        }, 300);
      },
      stop: () => clearTimeout(timer),
    };
  }, []);
  useEffect(() => {
    void reader.read();
    const leave = listen((heard) => {
      if (heard === 'reset' || heard.event.type.startsWith('pet.')) reader.later();
    });
    return () => {
      leave();
      reader.stop();
    };
  }, []);
  return { counts: counts.value, countAgain: reader.later };
}
