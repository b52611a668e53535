import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Inventory } from '../../../client/src/contract.ts';
import { listen } from '../api/live.ts';
import { currentApi } from '../api/session.ts';
import type { Filter } from './filter.ts';

/** The number of animals of each status, read again a moment after each change. */
export function useStatusCounts() {
  const counts = useSignal<Inventory | undefined>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const reads = useRef({ started: 0, shown: 0 }).current;
  async function read(): Promise<void> {
    timer.current = undefined;
    reads.started += 1;
    const read = reads.started;
    const found = await currentApi()
      .inventory.count()
      .catch(() => undefined);
    // The answer to an earlier read can arrive later.
    if (found === undefined || read < reads.shown) return;
    reads.shown = read;
    counts.value = found;
  }
  function countAgain(): void {
    timer.current ??= setTimeout(() => void read(), 300);
  }
  useEffect(() => {
    void read();
    const stopListening = listen((update) => {
      if (update === 'reset' || update.event.type.startsWith('pet.')) countAgain();
    });
    return () => {
      stopListening();
      clearTimeout(timer.current);
    };
  }, []);
  return counts.value;
}

/** The number of all animals. */
export const countAll = ({ available, pending, sold }: Inventory): bigint =>
  available + pending + sold;

/** The number of animals that match, unless only the service could count them. */
export function countMatches(filter: Filter, counts: Inventory | undefined): number | undefined {
  const { status, name, categoryId } = filter;
  if (counts === undefined || name !== undefined || categoryId !== undefined) return undefined;
  return Number(status === undefined ? countAll(counts) : counts[status]);
}
