import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from './children.ts';
import type { RunningServer, Workbench } from './workbench.ts';

/** The requests of a load, which `load.lua` sends. It describes the kinds. */
export interface Load {
  readonly kind: 'get' | 'paths' | 'create' | 'order' | 'mixed';
  /** The paths from which random ones are chosen, or the only path. */
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The path of a POST. */
  readonly createPath?: string;
  /** The mean pause of each connection between two requests. By default 0. */
  readonly pauseMilliseconds?: number;
  /** Of `order`, the animal that is ordered first. It advances, because an animal can be ordered once. */
  readonly petIds?: { next: number };
}

export interface LoadOutcome {
  readonly requests: number;
  readonly durationMicroseconds: number;
  readonly p50Microseconds: number;
  readonly p99Microseconds: number;
  readonly longestMicroseconds: number;
  /** Answered with 400 or more, or without a complete answer. */
  readonly failedRequests: number;
  readonly loadCpuMicroseconds: number;
}

/** The animal that is added again and again. */
export const newPetBody = '{"name":"Fluffy","categoryId":7,"status":"available"}';

/** With slow flushes, a write takes longer than the default timeout of wrk. */
const timeoutSeconds = 20;

/** Each load has other random numbers. */
let seed = 0;

/** Puts a server under load for some seconds. */
export async function runLoad(
  workbench: Workbench,
  server: RunningServer,
  load: Load,
  connections: number,
  seconds: number,
): Promise<LoadOutcome> {
  await using child = startLoad(workbench, server, load, connections, seconds);
  const outcome = await readOutcome(child);
  // An order without an answer has taken its animal too. The first id is used by a check of wrk.
  if (load.petIds !== undefined) load.petIds.next += 1 + outcome.requests + connections;
  return outcome;
}

/** Starts a load. SIGINT ends it early, with a result. */
export function startLoad(
  { folder, pinning }: Workbench,
  { origin, headers }: RunningServer,
  load: Load,
  connections: number,
  seconds: number,
): Child {
  seed += 1;
  const { kind, paths, createPath = paths[0] ?? '', pauseMilliseconds = 0, petIds } = load;
  const sent = Object.entries({ ...headers, ...load.headers });
  return startChild(
    [
      'wrk',
      '--threads=1',
      `--connections=${connections}`,
      `--duration=${seconds}s`,
      `--timeout=${timeoutSeconds}s`,
      `--script=${join(import.meta.dir, 'load.lua')}`,
      ...sent.flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      `${origin}${paths[0]}`,
      '--',
      ...[kind, `${seed}`, newPetBody, kind === 'paths' ? writePaths(folder, paths) : '-'],
      ...[createPath, `${pauseMilliseconds}`, `${petIds?.next ?? 0}`],
    ],
    { cores: pinning.load },
  );
}

const written = new WeakMap<readonly string[], string>();

function writePaths(folder: string, paths: readonly string[]): string {
  const file = written.get(paths) ?? join(mkdtempSync(join(folder, 'paths-')), 'paths');
  if (!written.has(paths)) writeFileSync(file, paths.map((path) => `${path}\n`).join(''));
  written.set(paths, file);
  return file;
}

/** Waits for the end of a load. */
export async function readOutcome(child: Child): Promise<LoadOutcome> {
  const exitCode = await child.exited;
  const { stdout, stderr } = child.output();
  const line = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) {
    throw new Error(`wrk ended with ${exitCode} and no result: ${stderr.trim() || stdout.trim()}`);
  }
  const outcome: Omit<LoadOutcome, 'loadCpuMicroseconds'> = JSON.parse(line);
  return { ...outcome, loadCpuMicroseconds: child.cpuMicroseconds() };
}
