import { findEndSignals } from './hangup.ts';

/** Cleans up when a signal ends the process. The process still ends by the signal. */
export function cleanUpOnSignal(cleanUp: () => void): Disposable {
  const signals = findEndSignals();
  function stopListening(): void {
    for (const signal of signals) process.off(signal, end);
  }
  function end(signal: NodeJS.Signals): void {
    // Ctrl-C under npm sends two signals. The handler stays until `cleanUp` returns, so that the second one does not end the
    // process during it.
    cleanUp();
    stopListening();
    process.kill(process.pid, signal);
  }
  for (const signal of signals) process.on(signal, end);
  return { [Symbol.dispose]: stopListening };
}
