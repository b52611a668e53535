import { constants } from 'node:os';
import { findEndSignals } from './hangup.ts';

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
