import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers, seconds, type Told } from './compare-answers.ts';
import { type ConnectionAnswer, type Connections, openConnections } from './connections.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { run as runCommand } from './mounts.ts';
import { authorization, sqliteDataIn } from './sqlite-rig.ts';

/** What a flush takes: so long that the disk bounds the rate of writes, and the processor has time left. */
const flushMilliseconds = 1000;
/** Enough for two groups of writes, one that is being flushed and one that waits. */
const measuringClients = 2500;
/** About as many more as wait at once under twice the load. */
const moreClients = 3000;
const warmUpWrites = 1500;
const measuredWrites = 6 * 1024;
const measuringMillisecondsMax = 30_000;
const secondsEveryDay = 18;
const secondsOnDemand = 300;
/** How long the line of writes grows at first, when as many are acknowledged as ever. */
const growingMilliseconds = 6000;
const readsPerSecond = 50;
const tickMilliseconds = 10;
/** More connections than are open at once, at either end. */
const descriptorsMin = 12_000;

/** Of what is acknowledged a second to clients who wait for each other. */
const acknowledgedShareMin = 0.5;
const writeMillisecondsMax = 6000;
const readMillisecondsMax = 2000;
const backlogMillisecondsMax = 6000;
/** A flush that is under way, one of its own, and what a busy machine adds. */
const calmMillisecondsMax = 2 * flushMilliseconds + 1000;
const residentBytesMax = 400e6;

export const overload: Fault = {
  name: 'overload',
  title:
    'twice as many writes as a slow disk takes (1 s a flush), sent whether or not any is answered',
  promise:
    'Every write is acknowledged, or refused with 503 and Retry-After, within 6 s; as many as half of what the disk takes ' +
    'are acknowledged, and none of them lost; reads and /livez are answered within 2 s; memory stays below 400 MB. Once it ' +
    'is over, all is answered within 6 s, and a write takes as long as before.',
  missing,
  run,
};

function missing(): string | undefined {
  if (process.platform !== 'linux' || Bun.which('cc') === null) {
    return 'needs Linux and a C compiler (cc)';
  }
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const descriptors = Number(/^Max open files +[0-9]+ +([0-9]+)/m.exec(limits)?.[1]);
  return descriptors < descriptorsMin
    ? `needs ${descriptorsMin} open files (ulimit -Hn)`
    : undefined;
}

async function run({ long }: FaultOptions): Promise<FaultOutcome> {
  using folder = makeTemporaryFolder();
  const library = join(folder.path, 'slow-flush.so');
  const source = join(import.meta.dir, 'slow-flush.c');
  runCommand('cc', '-shared', '-fPIC', '-O2', '-o', library, source, '-ldl');
  const store = sqliteDataIn(folder.path);
  await using server = await store.start({
    env: { LD_PRELOAD: library, SLOW_FLUSH_MILLISECONDS: String(flushMilliseconds) },
  });
  using connections = openConnections(Number(new URL(server.origin).port));
  const told = newTally();

  await connections.grow(measuringClients);
  const capacity = await measureCapacity(connections, told);
  await connections.grow(moreClients);
  const overloaded = await overwhelm({ connections, told, capacity, pid: server.pid }, long);
  const endedAt = performance.now();
  const { writes, reads } = await overloaded.answers();
  const backlog = performance.now() - endedAt;
  const calm = await add(connections, told, 'Calm');
  await server.stop('SIGTERM');

  const acknowledged = writes.filter(({ httpStatus }) => httpStatus === 201);
  const refused = writes.filter(
    ({ httpStatus, hasRetryAfter }) => httpStatus === 503 && hasRetryAfter,
  );
  const astray = writes.length - acknowledged.length - refused.length;
  const failedReads = reads.filter(({ httpStatus }) => httpStatus !== 200).length;
  const share = overloaded.acknowledgedPerSecond / capacity;
  const wrong = compareAnswers([told], store.readAnimals());
  const broken = [
    ...wrong,
    astray > 0 && `${astray} writes got neither 201 nor 503 with Retry-After`,
    failedReads > 0 && `${failedReads} reads failed`,
    overloaded.residentBytes > residentBytesMax &&
      `memory grew to ${megabytes(overloaded.residentBytes)}`,
    calm.httpStatus !== 201 && `then a write got ${calm.httpStatus}`,
  ].filter((line) => line !== false);
  const late = [
    longest(writes) > writeMillisecondsMax && `a write took ${seconds(longest(writes))}`,
    share < acknowledgedShareMin && `only ${percent(share)} of capacity was acknowledged`,
    longest(reads) > readMillisecondsMax && `a read took ${seconds(longest(reads))}`,
    backlog > backlogMillisecondsMax && `it was over after ${seconds(backlog)}`,
    calm.milliseconds > calmMillisecondsMax && `then a write took ${seconds(calm.milliseconds)}`,
  ].filter((line) => line !== false);
  return {
    figures: [
      `capacity ${Math.round(capacity)} writes a second, offered ${Math.round(overloaded.offeredPerSecond)}, ${percent(share)} of capacity acknowledged`,
      `${told.acknowledged.size} acknowledged, ${wrong.length === 0 ? 'none lost' : wrong.join(', ')}`,
      `${refused.length} of ${writes.length} answered 503`,
      `longest write ${seconds(longest(writes))}, read ${seconds(longest(reads))}`,
      `memory at most ${megabytes(overloaded.residentBytes)}`,
      `all answered ${seconds(backlog)} after its end, and then a write took ${seconds(calm.milliseconds)}`,
    ],
    broken,
    late,
  };
}

/** Animals a second that are acknowledged to clients who each wait for one before they add the next. */
async function measureCapacity(connections: Connections, told: Tally): Promise<number> {
  let running = true;
  async function addOneByOne(client: number): Promise<void> {
    for (let count = 0; running; count += 1) {
      const { httpStatus } = await add(connections, told, `Measure ${client} ${count}`);
      if (httpStatus !== 201) await Bun.sleep(100);
    }
  }
  const clients = Array.from({ length: measuringClients }, (_, client) => addOneByOne(client));
  // By then one full group follows the other.
  await acknowledgedReach(warmUpWrites);
  const startedAt = performance.now();
  await acknowledgedReach(warmUpWrites + measuredWrites);
  const perSecond = (measuredWrites * 1000) / (performance.now() - startedAt);
  running = false;
  await Promise.all(clients);
  return perSecond;

  async function acknowledgedReach(count: number): Promise<void> {
    const deadline = performance.now() + measuringMillisecondsMax;
    while (told.acknowledged.size < count) {
      if (performance.now() > deadline) throw new Error('The capacity could not be measured');
      await Bun.sleep(tickMilliseconds);
    }
  }
}

interface Overwhelming {
  readonly connections: Connections;
  readonly told: Tally;
  /** Writes a second, of which twice as many are sent. */
  readonly capacity: number;
  readonly pid: number;
}

/** Sends writes and reads at their rates for a while, whatever comes back. */
async function overwhelm({ connections, told, capacity, pid }: Overwhelming, long: boolean) {
  const duration = (long ? secondsOnDemand : secondsEveryDay) * 1000;
  const writes: Promise<ConnectionAnswer>[] = [];
  const reads: Promise<ConnectionAnswer>[] = [];
  let acknowledgedBefore = told.acknowledged.size;
  let residentBytes = 0;
  const startedAt = performance.now();
  let elapsed = 0;
  while (elapsed < duration) {
    while (writes.length < (elapsed / 1000) * 2 * capacity) {
      writes.push(add(connections, told, `Overload ${writes.length}`));
    }
    while (reads.length < (elapsed / 1000) * readsPerSecond) {
      reads.push(connections.ask(get(reads.length % 2 === 0 ? '/v1/pets?limit=5' : '/livez')));
    }
    if (elapsed < growingMilliseconds) acknowledgedBefore = told.acknowledged.size;
    residentBytes = Math.max(residentBytes, residentBytesOf(pid));
    await Bun.sleep(tickMilliseconds);
    elapsed = performance.now() - startedAt;
  }
  const acknowledged = told.acknowledged.size - acknowledgedBefore;
  return {
    offeredPerSecond: (writes.length * 1000) / elapsed,
    acknowledgedPerSecond: (acknowledged * 1000) / (elapsed - growingMilliseconds),
    residentBytes,
    answers: async () => ({ writes: await Promise.all(writes), reads: await Promise.all(reads) }),
  };
}

/** What clients are told, while it is being told. */
interface Tally extends Told {
  readonly acknowledged: Map<string, number>;
  readonly unknown: Set<string>;
  readonly refused: Set<string>;
}

function newTally(): Tally {
  return { acknowledged: new Map(), unknown: new Set(), refused: new Set() };
}

const head = `Host: localhost\r\nAuthorization: ${authorization.authorization}\r\n`;

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\n${head}\r\n`;
}

async function add(connections: Connections, told: Tally, name: string): Promise<ConnectionAnswer> {
  const body = JSON.stringify({ name, categoryId: 1 });
  const fields = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const answer = await connections.ask(`POST /v1/pets HTTP/1.1\r\n${fields}\r\n${body}`);
  if (answer.httpStatus === 201) told.acknowledged.set(name, JSON.parse(answer.body).id);
  else if (answer.httpStatus === 0 || answer.body.includes('outcome_unknown'))
    told.unknown.add(name);
  else told.refused.add(name);
  return answer;
}

function longest(answers: readonly ConnectionAnswer[]): number {
  return answers.reduce((most, { milliseconds }) => Math.max(most, milliseconds), 0);
}

function residentBytesOf(pid: number): number {
  const match = /^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) * 1024;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}
