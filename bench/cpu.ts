import { readFileSync } from 'node:fs';
import { processTree } from './children.ts';

export interface Memory {
  readonly residentBytes: number;
  readonly residentPeakBytes: number;
}

/** The kernel counts process times in hundredths of a second on every architecture that Bun runs on. */
const microsecondsPerTick = 10_000;

/** User and system time that a process, its threads and its child processes have taken, those that ended among them. */
export function readCpuMicroseconds(pid: number): number {
  // Children first: the time of a child that ends during this is then counted with its parent.
  const ticks = processTree(pid)
    .toReversed()
    .map((process) => {
      const stat = process === pid ? readStat(process) : tryToReadStat(process);
      // The name in parentheses may hold spaces. From the 12th field after it on: utime, stime, and those of children
      // that were waited for.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return sum(fields.slice(11, 15).map(Number));
    });
  return sum(ticks) * microsecondsPerTick;
}

function readStat(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8');
}

/** Nothing where the process has ended since it was listed. */
function tryToReadStat(pid: number): string {
  try {
    return readStat(pid);
  } catch {
    return '';
  }
}

/** Memory of a process and its child processes; pages that they share count once for each. */
export function readMemory(pid: number): Memory {
  const statuses = processTree(pid).map((process) =>
    readFileSync(`/proc/${process}/status`, 'utf8'),
  );
  const bytesOf = (name: string) =>
    sum(statuses.map((text) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1])));
  return { residentBytes: bytesOf('VmRSS') * 1024, residentPeakBytes: bytesOf('VmHWM') * 1024 };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
