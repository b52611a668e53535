import { readFileSync } from 'node:fs';
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

/** Systems without /proc do not show this. There, output that goes to no terminal is a sign of `nohup`. */
function isHangupIgnored(): boolean {
  try {
    const ignored = /^SigIgn:\s+([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    return !process.stdout.isTTY;
  }
}
