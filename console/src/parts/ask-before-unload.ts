import { effect, type ReadonlySignal } from '@preact/signals';

/** While something runs, the browser asks before the tab is closed or loaded again. */
export function askBeforeUnload(isRunning: ReadonlySignal<boolean>): void {
  effect(() => {
    if (!isRunning.value) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  });
}
