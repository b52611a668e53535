import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { isRetryable } from '../../../client/src/retry.ts';
import { messageOf, slowMilliseconds } from '../api/service.ts';
import { common } from '../texts/common.ts';
import { showError } from './notices.tsx';

/** An action that takes time and may fail. While it runs, it does not start again. `slow` is shown after five seconds. */
export function useAction(act: () => Promise<void>, slow: string = common.slow) {
  const isRunning = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  const mayBeDone = useSignal(false);
  const unmounted = useUnmounted();
  async function run(): Promise<void> {
    if (isRunning.peek()) return;
    isRunning.value = true;
    fault.value = undefined;
    const timer = setTimeout(() => {
      fault.value = slow;
    }, slowMilliseconds);
    try {
      await act();
      mayBeDone.value = false;
      if (fault.peek() === slow) fault.value = undefined;
    } catch (error) {
      mayBeDone.value = isUnanswered(error);
      if (!unmounted.aborted) fault.value = messageOf(error);
      else showError(error);
    } finally {
      clearTimeout(timer);
      isRunning.value = false;
    }
  }
  return {
    isRunning: isRunning.value,
    isSlow: isRunning.value && fault.value === slow,
    fault: fault.value,
    /** The service may have done it: only the same request is certain to do nothing twice. */
    mayBeDone: mayBeDone.value,
    run: (): void => void run(),
  };
}

/** Whether the answer of the service did not arrive, or another program answered. */
function isUnanswered(error: unknown): boolean {
  if (!isAnimalStoreError(error) || error.code === 'rate_limited') return false;
  return isRetryable(error) || error.code === 'unexpected_response';
}

/** Aborted when the component is no longer shown. */
export function useUnmounted(): AbortSignal {
  const unmounting = useMemo(() => new AbortController(), []);
  useEffect(() => () => unmounting.abort(), []);
  return unmounting.signal;
}
