import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers, seconds, type Told } from './compare-answers.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { run as runCommand } from './mounts.ts';
import { authorization, sqliteDataIn } from './sqlite-rig.ts';

const answerMillisecondsMax = 5000;
/** More calls than the script below makes. */
const callsMax = 500;

/** Builds what makes calls fail, in a folder; returns its path, to be preloaded. */
export function buildIoErrorLibrary(folder: string): string {
  const library = join(folder, 'io-error.so');
  const source = join(import.meta.dir, 'io-error.c');
  runCommand('cc', '-shared', '-fPIC', '-O2', '-o', library, source, '-ldl');
  return library;
}

export function missingForIoErrors(): string | undefined {
  return process.platform !== 'linux' || Bun.which('cc') === null
    ? 'needs Linux and a C compiler (cc)'
    : undefined;
}

export const ioErrors: Fault = {
  name: 'io-errors',
  title: 'the n-th write or flush to the file of data fails, for every n, once or from then on',
  promise:
    'No animal is acknowledged that is not stored; every request is answered within 5 s; after a restart the file is sound.',
  missing: missingForIoErrors,
  run,
};

async function run({ long }: FaultOptions): Promise<FaultOutcome> {
  using tools = makeTemporaryFolder();
  const library = buildIoErrorLibrary(tools.path);
  const broken = new Set<string>();
  const step = long ? 1 : 3;
  let places = 0;
  let acknowledged = 0;
  let longest = 0;
  for (const lasts of [false, true]) {
    for (let at = 1; at < callsMax; at += step) {
      const result = await runWithError(library, at, lasts);
      if (!result.reached) break;
      places += 1;
      acknowledged += result.told.acknowledged.size;
      longest = Math.max(longest, result.longestMilliseconds);
      for (const line of result.broken) broken.add(line);
    }
  }
  if (places === 0) broken.add('the fault does not reach the server');
  return {
    figures: [
      `${places} places, ${acknowledged} acknowledged, ${broken.size === 0 ? 'none lost' : [...broken].join(', ')}`,
      `longest answer ${seconds(longest)}`,
    ],
    broken: [...broken],
    late: longest > answerMillisecondsMax ? [`an answer took ${seconds(longest)}`] : [],
  };
}

async function runWithError(library: string, at: number, lasts: boolean) {
  using folder = makeTemporaryFolder();
  const store = sqliteDataIn(folder.path);
  const counter = join(folder.path, 'reached');
  const told = {
    acknowledged: new Map<string, number>(),
    unknown: new Set<string>(),
    refused: new Set<string>(),
  } satisfies Told;
  let longestMilliseconds = 0;
  const env: Record<string, string> = {
    LD_PRELOAD: library,
    IO_ERROR_AT: String(at),
    IO_ERROR_COUNTER: counter,
    ...(lasts ? { IO_ERROR_LASTS: '1' } : {}),
  };
  try {
    await using server = await store.start({ env });
    for (const name of ['One', 'Two', 'Three']) {
      const before = performance.now();
      const response = await fetch(`${server.origin}/v1/pets`, {
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ name, categoryId: 1 }),
        signal: AbortSignal.timeout(20_000),
      }).catch(() => undefined);
      const body = (await response?.json()) as { id: number; code?: string } | undefined;
      longestMilliseconds = Math.max(longestMilliseconds, performance.now() - before);
      if (response?.status === 201) told.acknowledged.set(name, body?.id ?? 0);
      else if (response === undefined || body?.code === 'outcome_unknown') told.unknown.add(name);
      else told.refused.add(name);
    }
    await server.stop('SIGTERM');
  } catch {
    // It may refuse to start on a disk that fails; that is no broken promise.
  }
  const broken: string[] = [];
  const reached = existsSync(counter);
  if (reached) {
    // A server that starts without the fault finds what was acknowledged.
    const server = await store.start();
    await server.stop('SIGTERM');
    broken.push(...compareAnswers([told], store.readAnimals()));
  }
  return { reached, told, broken, longestMilliseconds };
}
