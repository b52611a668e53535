import { readFileSync } from 'node:fs';
import { connect } from '../support/raw-connection.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Hostility } from './hostility.ts';
import { apiKeyPlace, fragmented, httpCorpus } from './http-corpus.ts';

const connectionsMax = 50;
/** How long an answer is waited for. Many a mutant gets none, since its server waits for the rest. */
const patienceMilliseconds = 20;
const memoryGrowthMegabytesMax = 20;
const checkedEvery = 1000;

export const mutationHostility: Hostility = {
  name: 'http-mutations',
  title: 'the same bytes with random changes (100 000 times, with --long a million)',
  promise:
    'Whatever bytes are sent, the server does not end, does not fail (5xx but 505), keeps its memory, and ' +
    'serves the next client.',
  run: ({ long }) => sendMutants(long ? 1_000_000 : 100_000),
};

async function sendMutants(count: number) {
  using folder = makeTemporaryFolder();
  await using server = await startServerProcess(`sqlite:${folder.path}/test.db`);
  const { firstKey = '', origin, pid } = server;
  const port = Number(new URL(origin).port);
  const random = randomFrom(Date.now());
  const seeds = [...httpCorpus, ...fragmented]
    .map(({ text }) => text.replaceAll(apiKeyPlace, firstKey))
    .filter((text) => text.length > 0 && text.length < 4000);
  const statuses: Record<string, number> = {};
  const broken: string[] = [];

  async function sendOne(): Promise<void> {
    const text = mutate(seeds, random);
    const connection = await connect(port);
    await connection.send([text]);
    await Promise.race([connection.received, Bun.sleep(patienceMilliseconds)]);
    connection.terminate();
    const received = await connection.received;
    for (const [, status = ''] of received.matchAll(/^HTTP\/1\.1 ([0-9]{3}) /gm)) {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (/^5(?!05)/.test(status)) broken.push(`${status} to ${JSON.stringify(text)}`);
    }
  }

  async function expectServed(): Promise<void> {
    const response = await fetch(`${origin}/v1/pets`, {
      headers: { authorization: `Bearer ${firstKey}` },
    });
    if (response.status !== 200) broken.push(`${response.status} to a request after mutants`);
  }

  // What the first requests of a process load and compile is no leak.
  let sent = 0;
  let startMegabytes = 0;
  async function sendMany(until: number): Promise<void> {
    while (sent < until && broken.length === 0) {
      sent += 1;
      await sendOne();
      if (sent % checkedEvery === 0) await expectServed();
    }
  }
  async function sendUntil(until: number): Promise<void> {
    await Promise.all(Array.from({ length: connectionsMax }, () => sendMany(until)));
  }

  try {
    await sendUntil(count / 10);
    startMegabytes = residentMegabytes(pid);
    await sendUntil(count);
    await expectServed();
  } catch (error) {
    broken.push(`the server is gone: ${error}`);
  }
  const growth = residentMegabytes(pid) - startMegabytes;
  if (growth > memoryGrowthMegabytesMax) broken.push(`memory grew by ${growth.toFixed(1)} MB`);
  const faults = server.output().stdout.match(/"level":(?:50|60)/g)?.length ?? 0;
  if (faults > 0) broken.push(`${faults} faults in the log`);
  const told = Object.entries(statuses).map(([status, times]) => `${times} of ${status}`);
  return {
    figures: [
      `${sent} sent`,
      `answers: ${told.join(', ')}`,
      `memory ${growth >= 0 ? '+' : ''}${growth.toFixed(1)} MB after the first tenth`,
    ],
    broken,
  };
}

/** One of the seeds with one to four changes. */
function mutate(seeds: readonly string[], random: () => number): string {
  const below = (bound: number) => Math.floor(random() * bound);
  const pick = <Value>(values: readonly Value[]) => values[below(values.length)] as Value;
  let text = pick(seeds);
  for (let changes = 1 + below(4); changes > 0; changes -= 1) {
    const at = below(text.length + 1);
    const span = 1 + below(8);
    const other = pick(seeds);
    const otherAt = below(other.length);
    const changed = [
      () => text.slice(0, at) + String.fromCharCode(below(256)) + text.slice(at + 1),
      () => text.slice(0, at) + text.slice(at + span),
      () => text.slice(0, at) + text.slice(at, at + span).repeat(1 + below(20)) + text.slice(at),
      () => text.slice(0, at) + pick(tokens) + text.slice(at),
      () => text.slice(0, at) + pick(tokens) + text.slice(at + span),
      () => text.slice(0, at) + other.slice(otherAt),
      () => text.slice(0, at) + other.slice(otherAt, otherAt + 8 * span) + text.slice(at),
    ];
    text = pick(changed)();
  }
  return text;
}

/** What parsers of HTTP look for. */
const tokens = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0\r\n\r\n',
  'ffffffffffffffff',
  '-1',
  'chunked',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'HTTP/1.1',
  '\xff\xfe',
];

/** mulberry32: numbers from 0 to 1 that are the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+([0-9]+)/m.exec(status)?.[1]) / 1024;
}
