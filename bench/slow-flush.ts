import { join } from 'node:path';
import { runChild } from './children.ts';
import { animalStoreDialect as dialect } from './dialects.ts';
import { measureRound, type Target } from './measure.ts';
import type { Round, SlowFlushResult } from './result.ts';
import { newPetBody } from './scenarios.ts';
import { startAnimalStore } from './servers/animal-store.ts';
import type { RunningServer } from './servers/running-server.ts';
import type { TestAnimals } from './test-animals.ts';
import type { Workbench } from './workbench.ts';
import { type Load, readOutcome, startLoad } from './wrk.ts';

const writers = 64;

/** One that is busy with a single client, and one that is as busy as it can be. */
const listConnections = [1, 32] as const;

const list: Load = { kind: 'get', path: dialect.list() };
const create: Load = { kind: 'create', path: dialect.collection, body: newPetBody };

const faultPath = join(import.meta.dir, 'faults', 'slow-flush.c');

/** Builds the fault, and returns the path of the library. */
export async function buildSlowFlush({ folder }: Workbench): Promise<string> {
  const library = join(folder, 'slow-flush.so');
  await runChild(['cc', '-shared', '-fPIC', '-O2', '-o', library, faultPath, '-ldl']);
  return library;
}

/** How long readers wait while every flush to disk takes long, beside how long they wait without writers. */
export async function measureSlowFlush(
  workbench: Workbench,
  testAnimals: TestAnimals,
  library: string,
  flushMilliseconds: number,
): Promise<SlowFlushResult | undefined> {
  await using server = await startAnimalStore(workbench, {
    databaseUrl: testAnimals.copyDatabase(),
    env: { LD_PRELOAD: library, SLOW_FLUSH_MILLISECONDS: `${flushMilliseconds}` },
  });
  if ((await timeCreate(server)) < flushMilliseconds) {
    workbench.note(
      'Slow flush: the fault does not reach the server; reads beside it are left out.',
    );
    return undefined;
  }
  const result = listConnections.map((connections) => ({
    connections,
    withoutWriters: [] as Round[],
    withWriters: [] as Round[],
    createdPerSecond: [] as number[],
  }));
  // Long enough for several flushes, one after the other.
  const seconds = Math.max(workbench.pace.secondsPerRound, (4 * flushMilliseconds) / 1000);
  for (let round = 0; round < workbench.pace.rounds; round += 1) {
    for (const { connections, withoutWriters, withWriters, createdPerSecond } of result) {
      const target = { server, load: list };
      withoutWriters.push(await measureRound(workbench, target, connections, seconds));
      const busy = await measureBesideWriters(workbench, target, connections, seconds);
      withWriters.push(busy.round);
      createdPerSecond.push(busy.createdPerSecond);
      workbench.tick();
    }
  }
  return { flushMilliseconds, writers, list: result };
}

/** How many rounds that is for each length of the flush. */
export function slowFlushTicks({ rounds }: Workbench['pace']): number {
  return rounds * listConnections.length;
}

async function measureBesideWriters(
  workbench: Workbench,
  target: Target,
  connections: number,
  seconds: number,
): Promise<{ round: Round; createdPerSecond: number }> {
  const options = {
    origin: target.server.origin,
    headers: target.server.headers,
    load: create,
    connections: writers,
    // Stopped once the readers are done.
    seconds: seconds + 60,
    cores: workbench.pinning.load,
    seed: 0,
  };
  await using writing = startLoad(options);
  // By then all writers are connected and wait for a flush.
  await Bun.sleep(500);
  const round = await measureRound(workbench, target, connections, seconds);
  await writing.stop('SIGINT');
  const { requests, durationMicroseconds } = await readOutcome(writing, options);
  return { round, createdPerSecond: (requests / durationMicroseconds) * 1_000_000 };
}

/** Milliseconds that one POST takes. */
async function timeCreate({ origin, headers }: RunningServer): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${origin}${dialect.collection}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: newPetBody,
  });
  await response.text();
  return performance.now() - startedAt;
}
