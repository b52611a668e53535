import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from './children.ts';
import type { RunningServer, Workbench } from './workbench.ts';

/** What is sent, again and again; `load.lua` has the kinds. */
export interface Load {
  readonly kind: 'get' | 'paths' | 'create' | 'mixed';
  /** That are drawn from, or the one that is asked for. */
  readonly paths: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a POST. */
  readonly createPath?: string;
  /** Each connection rests so long between two requests, in the mean; 0 where it is left out. */
  readonly restMilliseconds?: number;
}

export interface LoadOutcome {
  readonly requests: number;
  readonly durationMicroseconds: number;
  readonly p50Microseconds: number;
  readonly p99Microseconds: number;
  readonly longestMicroseconds: number;
  /** Answered with 400 or more, timed out, or broken off. */
  readonly failedRequests: number;
  readonly loadCpuMicroseconds: number;
}

/** The animal that is added again and again. */
export const newPetBody = '{"name":"Fluffy","categoryId":7,"status":"available"}';

/** Where flushes are slow, a writer waits longer than wrk would by itself. */
const timeoutSeconds = 20;

/** No two loads draw the same at random. */
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
  return await readOutcome(child);
}

/** Starts a load, which may be stopped with SIGINT before its time, and is then read. */
export function startLoad(
  { folder, pinning }: Workbench,
  { origin, headers }: RunningServer,
  load: Load,
  connections: number,
  seconds: number,
): Child {
  seed += 1;
  const { kind, paths, createPath = paths[0] ?? '', restMilliseconds = 0 } = load;
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
      ...[createPath, `${restMilliseconds}`],
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
