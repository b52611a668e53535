import { readFileSync } from 'node:fs';

export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
export type StopSignal = (typeof stopSignals)[number];

/**
 * Calls back for each signal that is to stop a server: also for the end of the terminal that it was started on, unless
 * `nohup` has it ignore that. A listener would end the ignoring.
 */
export function onStopSignal(stop: (signal: StopSignal) => void): void {
  for (const signal of stopSignals) {
    if (signal !== 'SIGHUP' || !ignoresHangup()) process.on(signal, () => stop(signal));
  }
}

/** Where the system does not tell, `nohup` is known by its other mark: no output of it goes to a terminal. */
function ignoresHangup(): boolean {
  try {
    const ignored = /^SigIgn:\s+([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return !process.stdout.isTTY;
  }
}
