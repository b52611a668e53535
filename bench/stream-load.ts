// Opens event streams, adds animals at a fixed rate, and prints what this took. It is a process of its own, so that it has a core of
// its own.

import { numberedRequest, openReaders, waitForEvents } from '../test/support/event-readers.ts';
import { readCpuMicroseconds } from './cpu.ts';
import { animalStoreDialect as dialect } from './subject.ts';
import { newPetBody } from './wrk.ts';

export interface StreamPlan {
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The processes whose CPU is measured. */
  readonly pids: readonly number[];
  /** The keys of the readers. */
  readonly keys: readonly string[];
  readonly readers: number;
  readonly addsPerSecond: number;
  readonly seconds: number;
}

export interface StreamFigures {
  readonly adds: number;
  readonly cpuMicroseconds: number;
  /** From the answer 201 until the event arrives. An event can arrive first: then, 0. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  readonly loadBusyShare: number;
}

const eventMillisecondsMax = 10_000;

const plan: StreamPlan = JSON.parse(process.argv[2] ?? '');
const adds = plan.addsPerSecond * plan.seconds;
const readers = await openReaders(plan.origin, plan.keys, plan.readers);
const readCpu = () => plan.pids.reduce((sum, pid) => sum + readCpuMicroseconds(pid), 0);
const cpuBefore = readCpu();
const loadBefore = process.cpuUsage();
const startedAt = performance.now();
const answeredAt: number[] = [];
for (let number = 1; number <= adds; number += 1) {
  // At a random moment of its turn, because the server looks for commits at fixed intervals.
  const at = startedAt + ((number - Math.random()) * 1000) / plan.addsPerSecond;
  await Bun.sleep(Math.max(0, at - performance.now()));
  const response = await fetch(`${plan.origin}${dialect.collection}`, {
    method: 'POST',
    headers: { ...plan.headers, 'content-type': 'application/json', ...numberedRequest(number) },
    body: newPetBody,
  });
  answeredAt.push(performance.now());
  const text = await response.text();
  if (response.status !== 201) throw new Error(`it answered ${response.status}: ${text}`);
}
if (!(await waitForEvents(readers, adds, eventMillisecondsMax))) {
  throw new Error(`An event did not arrive within ${eventMillisecondsMax / 1000} s`);
}
const cpuMicroseconds = readCpu() - cpuBefore;
const { user, system } = process.cpuUsage(loadBefore);
const loadBusyShare = (user + system) / 1000 / (performance.now() - startedAt);
const delays = readers
  .flatMap(({ numbers, arrivals }) =>
    numbers.map((number, index) => (arrivals[index] ?? 0) - (answeredAt[number - 1] ?? 0)),
  )
  .sort((one, other) => one - other);
const delayOf = (share: number) => Math.max(0, delays[Math.floor(delays.length * share)] ?? 0);
const figures: StreamFigures = {
  adds,
  cpuMicroseconds,
  p50Milliseconds: delayOf(0.5),
  p99Milliseconds: delayOf(0.99),
  loadBusyShare,
};
console.log(JSON.stringify(figures));
process.exit();
