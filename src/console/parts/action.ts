import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { randomHex } from '../../../client/src/json.ts';
import { messageOf, slowMilliseconds } from '../api/api.ts';
import { ownerOf, session } from '../session/session.ts';
import { tellFailure } from './notices.tsx';

const usuallySlow = 'This takes longer than usual.';
/** Of what has an Idempotency-Key. */
export const keyedSlow =
  'The server is slow to answer. It is tried again, and nothing is done twice.';

/** Something that takes time and may fail. While it runs it is not begun again. `slow` is said after a while. */
export function useAction(act: () => Promise<void>, slow = usuallySlow) {
  const isRunning = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  const isLeft = useRef(false);
  useEffect(
    () => () => {
      isLeft.current = true;
    },
    [],
  );
  return {
    isRunning: isRunning.value,
    isSlow: isRunning.value && fault.value === slow,
    /** Throws what a window would show where it was left meanwhile, so that it is told all the same. */
    throwIfLeft(message: string): void {
      if (isLeft.current) throw new Error(message);
    },
    fault: fault.value,
    async run(): Promise<void> {
      if (isRunning.peek()) return;
      const owner = currentOwner();
      isRunning.value = true;
      fault.value = undefined;
      const timer = setTimeout(() => {
        fault.value = slow;
      }, slowMilliseconds);
      try {
        await act();
        if (fault.peek() === slow) fault.value = undefined;
      } catch (error) {
        if (!isLeft.current) fault.value = messageOf(error);
        else if (owner === currentOwner()) tellFailure(messageOf(error));
      } finally {
        clearTimeout(timer);
        isRunning.value = false;
      }
    },
  };
}

function currentOwner(): string | undefined {
  const current = session.peek();
  return current && ownerOf(current);
}

/**
 * The Idempotency-Key of what a window does: who tries again, because no answer came, does nothing twice. It is renewed where
 * what is to be done is changed.
 */
export function useIdempotencyKey(): { readonly current: string; renew(): void } {
  return useMemo(() => {
    const make = () => `console-${randomHex()}`;
    let current = make();
    return {
      get current() {
        return current;
      },
      renew() {
        current = make();
      },
    };
  }, []);
}
