import { readdirSync, readFileSync } from 'node:fs';

/** Bytes of a process that are in memory, by Linux's own figures. */
export function residentBytes(pid: number): number {
  const match = /^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) * 1024;
}

/** How many files and connections a process has open. */
export function countOpenFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
