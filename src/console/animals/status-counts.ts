import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Inventory } from '../../../client/src/contract.ts';
import { api } from '../api/api.ts';
import { listen } from '../api/live.ts';

/** The number of animals of each status, read again a moment after each change. */
export function useStatusCounts() {
  const counts = useSignal<Inventory | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  async function read(): Promise<void> {
    timer.current = undefined;
    counts.value = await api.inventory.count().catch(() => counts.peek());
  }
  function countAgain(): void {
    timer.current ??= setTimeout(() => void read(), 300);
  }
  useEffect(() => {
    void read();
    const leave = listen((heard) => {
      if (heard === 'reset' || heard.event.type.startsWith('pet.')) countAgain();
    });
    return () => {
      leave();
      clearTimeout(timer.current);
    };
  }, []);
  return { counts: counts.value, countAgain };
}
