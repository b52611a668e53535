import { effect, type ReadonlySignal } from '@preact/signals';

const works: ReadonlySignal<boolean>[] = [];
let isKept = false;

/** Until the returned function is called, the browser asks before the tab is closed, loaded again, or left by Back. */
export function guardUnload(): () => void {
  const ask = (event: BeforeUnloadEvent) => {
    if (isKept) return;
    event.preventDefault();
    // Chromium before 119 looks only at this.
    event.returnValue = true;
  };
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
}

/** The browser asks while something runs, or would be lost. */
export function askBeforeUnload(isRunning: ReadonlySignal<boolean>): void {
  works.push(isRunning);
  effect(() => (isRunning.value ? guardUnload() : undefined));
}

/** The page loads itself again, and keeps what it shows: the browser does not ask. */
export function stopAsking(): void {
  isKept = true;
}

/** Whether something runs that a reload would stop. */
export const isWorking = (): boolean => works.some((isRunning) => isRunning.peek());
