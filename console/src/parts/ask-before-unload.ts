import { effect, type ReadonlySignal } from '@preact/signals';

/** Until the returned function is called, the browser asks before the tab is closed, loaded again, or left by Back. */
export function guardUnload(): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    event.preventDefault();
    // Chromium before 119 looks only at this.
    event.returnValue = true;
  };
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
}

/** The browser asks while something runs, or would be lost. */
export function askBeforeUnload(isRunning: ReadonlySignal<boolean>): void {
  effect(() => (isRunning.value ? guardUnload() : undefined));
}
