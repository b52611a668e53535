import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { isatty } from 'node:tty';

/**
 * What SIGHUP means for a server. On a terminal, the terminal was closed: `stop`. Without one, an operator wants that it reads its
 * settings again: `report`. Under `nohup`, the system does not deliver it, and a listener would end that: `ignore`.
 */
export type HangupAction = 'stop' | 'report' | 'ignore';

export function findHangupAction(): HangupAction {
  if (isHangupIgnored()) return 'ignore';
  return isatty(0) ? 'stop' : 'report';
}

/** The signals that end a command. A listener for an ignored SIGHUP would end the ignoring. */
export function findEndSignals(): readonly NodeJS.Signals[] {
  return isHangupIgnored() ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP'];
}

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

/**
 * Ends the program by a signal if it is process 1, as in a container. The kernel sends process 1 only the signals that it
 * listens for, so without a listener they would not end it.
 */
export function endFirstProcessOnSignal(): void {
  if (process.pid !== 1) return;
  for (const signal of findEndSignals()) {
    process.on(signal, () => {
      // Another listener, such as that of a server, ends the program itself.
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}

/** Systems without /proc do not show this. There, output that goes to no terminal is a sign of `nohup`. */
function isHangupIgnored(): boolean {
  try {
    const ignored = /^SigIgn:\s+([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return !process.stdout.isTTY;
  }
}
