import type { LongTest } from '../faults/long-test.ts';
import { residentBytes } from '../faults/process-figures.ts';
import { request } from '../faults/requests.ts';
import { connect } from '../support/raw-connection.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { apiKeyPlace, fragmented, httpCorpus } from './http-corpus.ts';

const connectionsMax = 50;
/** How long to wait for an answer. Many texts get none, because the server waits for more bytes. */
const answerMilliseconds = 20;
const memoryGrowthMegabytesMax = 20;
const checkedEvery = 1000;
const warmUpCount = 5000;

export const mutations: LongTest = {
  name: 'http-mutations',
  title: 'malformed HTTP with random changes (10 000 times, with --long a million)',
  run: ({ long }) => sendMutants(long ? 1_000_000 : 10_000),
};

async function sendMutants(count: number) {
  using folder = makeTemporaryFolder();
  await using server = await startServerProcess(`sqlite:${folder.path}/test.db`);
  const { firstKey = '', origin, pid } = server;
  const port = Number(new URL(origin).port);
  const seeds = [...httpCorpus, ...fragmented]
    .map(({ text }) => text.replaceAll(apiKeyPlace, firstKey))
    .filter((text) => text.length > 0 && text.length < 4000);
  const statuses: Record<string, number> = {};
  const broken: string[] = [];

  async function sendOne(): Promise<void> {
    const text = mutate(seeds);
    const connection = await connect(port);
    await connection.send([text]);
    await Promise.race([connection.received, Bun.sleep(answerMilliseconds)]);
    connection.terminate();
    const received = await connection.received;
    for (const [, status = ''] of received.matchAll(/^HTTP\/1\.1 ([0-9]{3}) /gm)) {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (/^5(?!05)/.test(status)) broken.push(`${status} to ${JSON.stringify(text)}`);
    }
  }

  async function expectServed(): Promise<void> {
    const headers = { authorization: `Bearer ${firstKey}` };
    const { httpStatus } = await request(`${origin}/v1/pets`, { headers });
    if (httpStatus !== 200) broken.push(`${httpStatus} to a valid request`);
  }

  // The memory that the first requests of a process take is no leak.
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
    await sendUntil(warmUpCount);
    startMegabytes = residentBytes(pid) / 2 ** 20;
    await sendUntil(count);
    await expectServed();
  } catch (error) {
    broken.push(`the server has ended: ${error}`);
  }
  const growth = residentBytes(pid) / 2 ** 20 - startMegabytes;
  if (growth > memoryGrowthMegabytesMax) broken.push(`memory grew by ${growth.toFixed(1)} MB`);
  const faults = server.output().stdout.match(/"level":(?:50|60)/g)?.length ?? 0;
  if (faults > 0) broken.push(`${faults} faults in the log`);
  const answers = Object.entries(statuses).map(([status, times]) => `${times} of ${status}`);
  return {
    figures: [
      `${sent} sent`,
      `answers: ${answers.join(', ')}`,
      `memory ${growth >= 0 ? '+' : ''}${growth.toFixed(1)} MB after the first ${warmUpCount}`,
    ],
    broken,
  };
}

/** One of the seeds with one to four changes. */
function mutate(seeds: readonly string[]): string {
  const below = (bound: number) => Math.floor(Math.random() * bound);
  const pick = <Value>(values: readonly Value[]) => values[below(values.length)] as Value;
  let text = pick(seeds);
  for (let changes = 1 + below(4); changes > 0; changes -= 1) {
    const at = below(text.length + 1);
    const end = at + 1 + below(8);
    const other = pick(seeds);
    const part = other.slice(below(other.length)).slice(0, pick([1, 8, 64, other.length]));
    const insert = pick([
      String.fromCharCode(below(256)),
      pick(tokens),
      text.slice(at, end).repeat(1 + below(20)),
      part,
      '',
    ]);
    text = text.slice(0, at) + insert + text.slice(pick([at, end, text.length]));
  }
  return text;
}

/** Characters and words with a meaning in HTTP. */
const tokens = [
  ...'\r\n\0 \t:;,',
  ...['\r\n', '0\r\n\r\n', 'ffffffffffffffff', '-1', 'chunked', 'HTTP/1.1', '\xff\xfe'],
  ...['Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n'],
];
