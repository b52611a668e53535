const signals = ['SIGINT', 'SIGTERM'] as const;

/** Cleans up before a signal ends the process, which it then does as it would have. */
export function cleanUpOnSignal(cleanUp: () => void): Disposable {
  const listeners = signals.map((signal) => {
    const end = () => {
      cleanUp();
      process.kill(process.pid, signal);
    };
    process.once(signal, end);
    return { signal, end };
  });
  return {
    [Symbol.dispose]() {
      for (const { signal, end } of listeners) process.off(signal, end);
    },
  };
}
