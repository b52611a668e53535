import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of a process that are in memory. */
export function residentBytes(pid: number): number {
  const match = /^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) * 1024;
}

/** Number of open files and connections of a process. */
export function countOpenFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
