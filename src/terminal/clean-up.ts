const signals = ['SIGINT', 'SIGTERM'] as const;

/** Cleans up before a signal ends the process, which it then does as it would have. */
export function cleanUpOnSignal(cleanUp: () => void): Disposable {
  function stopListening(): void {
    for (const signal of signals) process.off(signal, end);
  }
  function end(signal: NodeJS.Signals): void {
    // It listens until the end: Ctrl-C under npm sends two signals, and the second would end the process at once.
    cleanUp();
    stopListening();
    process.kill(process.pid, signal);
  }
  for (const signal of signals) process.on(signal, end);
  return { [Symbol.dispose]: stopListening };
}
