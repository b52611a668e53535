import { readFileSync } from 'node:fs';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { type AnswerLog, compareAnswers, createAnswerLog } from './compare-answers.ts';
import {
  type ConnectionAnswer,
  type Connections,
  openConnections,
  requestText,
} from './connections.ts';
import { onSqlite, type SqliteDatabase } from './databases.ts';
import { acknowledgedFigure, linesOf, overLimits, seconds } from './figures.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { buildLibrary, missingForPreload } from './preload.ts';
import { residentBytes } from './process-figures.ts';

/** Time of a flush. It is so long that the disk limits the rate of writes and the processor has time left. */
const flushMilliseconds = 1000;
/** Enough for two groups of writes: one in a flush, one waiting. */
const measuringClients = 2500;
/** About the number of additional clients that wait at the same time under twice the load. */
const moreClients = 3000;
const warmUpWrites = 1500;
const measuredWrites = 6 * 1024;
const measuringMillisecondsMax = 30_000;
const secondsEveryDay = 13;
const secondsOnDemand = 300;
/** How long the queue grows at first. Until then, as many writes are acknowledged as before. */
const growingMilliseconds = 6000;
const readsPerSecond = 50;
const tickMilliseconds = 10;
/** More than the connections that are open at the same time, on each side. */
const descriptorsMin = 12_000;

/** A share of the capacity. */
const acknowledgedShareMin = 0.5;
const writeMillisecondsMax = 6000;
const readMillisecondsMax = 2000;
const backlogMillisecondsMax = 6000;
/** A running flush, the flush of the write itself, and the delays of a busy machine. */
const calmMillisecondsMax = 2 * flushMilliseconds + 1000;
const memoryBytesMax = 400e6;

export const overload: LongTest = {
  name: 'overload',
  title:
    'twice as many writes as a slow disk (1 s for each flush) can take, sent without waiting for answers',
  isPatient: true,
  missing,
  run: (options) => onSqlite((database) => run(options, database)),
};

function missing(): string | undefined {
  if (missingForPreload() !== undefined) return missingForPreload();
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const descriptors = Number(/^Max open files +[0-9]+ +([0-9]+)/m.exec(limits)?.[1]);
  return descriptors < descriptorsMin
    ? `needs ${descriptorsMin} open files (ulimit -Hn)`
    : undefined;
}

async function run({ long }: TestOptions, database: SqliteDatabase): Promise<TestOutcome> {
  using tools = makeTemporaryFolder();
  const library = buildLibrary(tools.path, 'slow-flush');
  await using server = await database.start({
    env: { LD_PRELOAD: library, SLOW_FLUSH_MILLISECONDS: String(flushMilliseconds) },
  });
  using connections = openConnections(Number(new URL(server.origin).port));
  const log = createAnswerLog();

  await connections.grow(measuringClients);
  const capacity = await measureCapacity(connections, log);
  await connections.grow(moreClients);
  const overloaded = await overwhelm({ connections, log, capacity, pid: server.pid }, long);
  const endedAt = performance.now();
  const { writes, reads } = await overloaded.answers();
  const backlog = performance.now() - endedAt;
  const calm = await add(connections, log, 'Calm');
  await server.stop('SIGTERM');

  const acknowledged = writes.filter(({ httpStatus }) => httpStatus === 201).length;
  const refused = writes.filter((write) => write.httpStatus === 503 && write.hasRetryAfter).length;
  const others = writes.length - acknowledged - refused;
  const failedReads = reads.filter(({ httpStatus }) => httpStatus !== 200).length;
  const share = overloaded.acknowledgedPerSecond / capacity;
  const memory = overloaded.memoryBytes;
  const wrong = compareAnswers([log], database.readAnimals());
  return {
    figures: [
      `capacity ${Math.round(capacity)} writes a second, offered ${Math.round(overloaded.offeredPerSecond)}, ${percent(share)} of capacity acknowledged`,
      acknowledgedFigure([log], wrong),
      `${refused} of ${writes.length} answered 503`,
      `longest write ${seconds(longest(writes))}, read ${seconds(longest(reads))}`,
      `memory at most ${megabytes(memory)}`,
      `all answered ${seconds(backlog)} after the end, and then a write took ${seconds(calm.milliseconds)}`,
    ],
    broken: [
      ...wrong,
      ...linesOf(
        others > 0 && `${others} writes got neither 201 nor 503 with Retry-After`,
        failedReads > 0 && `${failedReads} reads failed`,
        memory > memoryBytesMax && `memory grew to ${megabytes(memory)}`,
        calm.httpStatus !== 201 && `a write after the end got ${calm.httpStatus}`,
      ),
    ],
    late: [
      ...overLimits(
        ['a write took', longest(writes), writeMillisecondsMax],
        ['a read took', longest(reads), readMillisecondsMax],
        ['all was answered after', backlog, backlogMillisecondsMax],
        ['a write after the end took', calm.milliseconds, calmMillisecondsMax],
      ),
      ...linesOf(
        share < acknowledgedShareMin && `only ${percent(share)} of capacity was acknowledged`,
      ),
    ],
  };
}

/** Acknowledged animals a second, for clients that each wait for one answer before they send the next request. */
async function measureCapacity(connections: Connections, log: AnswerLog): Promise<number> {
  let running = true;
  async function addOneByOne(client: number): Promise<void> {
    for (let count = 0; running; count += 1) {
      const { httpStatus } = await add(connections, log, `Measure ${client} ${count}`);
      if (httpStatus !== 201) await Bun.sleep(100);
    }
  }
  const clients = Array.from({ length: measuringClients }, (_, client) => addOneByOne(client));
  // From then on, one full group follows the other.
  await acknowledgedReach(warmUpWrites);
  const startedAt = performance.now();
  await acknowledgedReach(warmUpWrites + measuredWrites);
  const perSecond = (measuredWrites * 1000) / (performance.now() - startedAt);
  running = false;
  await Promise.all(clients);
  return perSecond;

  async function acknowledgedReach(count: number): Promise<void> {
    const deadline = performance.now() + measuringMillisecondsMax;
    while (log.acknowledged.size < count) {
      if (performance.now() > deadline) throw new Error('The capacity could not be measured');
      await Bun.sleep(tickMilliseconds);
    }
  }
}

interface Overwhelming {
  readonly connections: Connections;
  readonly log: AnswerLog;
  /** Writes a second. Twice as many are sent. */
  readonly capacity: number;
  readonly pid: number;
}

/** Sends writes and reads at fixed rates for a while, without waiting for answers. */
async function overwhelm({ connections, log, capacity, pid }: Overwhelming, long: boolean) {
  const duration = (long ? secondsOnDemand : secondsEveryDay) * 1000;
  const writes: Promise<ConnectionAnswer>[] = [];
  const reads: Promise<ConnectionAnswer>[] = [];
  let acknowledgedBefore = log.acknowledged.size;
  let memoryBytes = 0;
  const startedAt = performance.now();
  let elapsed = 0;
  while (elapsed < duration) {
    while (writes.length < (elapsed / 1000) * 2 * capacity) {
      writes.push(add(connections, log, `Overload ${writes.length}`));
    }
    while (reads.length < (elapsed / 1000) * readsPerSecond) {
      reads.push(
        connections.send(
          requestText('GET', reads.length % 2 === 0 ? '/v1/pets?limit=5' : '/livez'),
        ),
      );
    }
    if (elapsed < growingMilliseconds) acknowledgedBefore = log.acknowledged.size;
    memoryBytes = Math.max(memoryBytes, residentBytes(pid));
    await Bun.sleep(tickMilliseconds);
    elapsed = performance.now() - startedAt;
  }
  const acknowledged = log.acknowledged.size - acknowledgedBefore;
  return {
    offeredPerSecond: (writes.length * 1000) / elapsed,
    acknowledgedPerSecond: (acknowledged * 1000) / (elapsed - growingMilliseconds),
    memoryBytes,
    answers: async () => ({ writes: await Promise.all(writes), reads: await Promise.all(reads) }),
  };
}

async function add(
  connections: Connections,
  log: AnswerLog,
  name: string,
): Promise<ConnectionAnswer> {
  const content = { name, categoryId: 1 };
  const answer = await connections.send(requestText('POST', '/v1/pets', { content }));
  const { httpStatus, body } = answer;
  log.add(name, { httpStatus, body: httpStatus === 0 ? undefined : JSON.parse(body) });
  return answer;
}

function longest(answers: readonly ConnectionAnswer[]): number {
  return answers.reduce((most, { milliseconds }) => Math.max(most, milliseconds), 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
