import { readFileSync } from 'node:fs';
import { processTree } from './children.ts';

interface Memory {
  readonly residentBytes: number;
  readonly residentPeakBytes: number;
}

/** The kernel counts process times in hundredths of a second on every architecture that Bun runs on. */
const microsecondsPerTick = 10_000;

/** User and system time of a process, its threads and its child processes, also of those that have ended. */
export function readCpuMicroseconds(pid: number): number {
  // Children first. If a child ends during the read, its time is counted with its parent.
  const ticks = processTree(pid)
    .toReversed()
    .map((process) => {
      const stat = process === pid ? readStat(process) : tryToReadStat(process);
      // The name in parentheses can contain spaces. The 12th to 15th fields after it are utime, stime, cutime and cstime.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return sum(fields.slice(11, 15).map(Number));
    });
  return sum(ticks) * microsecondsPerTick;
}

function readStat(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8');
}

/** An empty text if the process has ended. */
function tryToReadStat(pid: number): string {
  try {
    return readStat(pid);
  } catch {
    return '';
  }
}

/** Memory of a process and its child processes. Pages that they share are counted for each. */
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
