import { startServer } from '../faults/databases.ts';
import type { LongTest } from '../faults/long-test.ts';
import { residentBytes } from '../faults/process-figures.ts';
import { request } from '../faults/requests.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const connections = 32;
const requestsOnce = 60_000;
const requestsRepeated = 90_000;

/** Limits of memory for requests with a new category each time, or with each category several times. */
const cases = [
  { cacheMegabytes: 0, repeats: 1, megabytesMax: 120 },
  { cacheMegabytes: 64, repeats: 1, megabytesMax: 120 },
  { cacheMegabytes: 64, repeats: 3, megabytesMax: 180 },
] as const;

export const filterMemory: LongTest = {
  name: 'filter-memory',
  title: `lists with always new filters, over ${connections} connections`,
  missing: () => (process.platform === 'linux' ? undefined : 'needs /proc (Linux)'),
  run: async ({ long }) => {
    const figures: string[] = [];
    const broken: string[] = [];
    for (const { cacheMegabytes, repeats, megabytesMax } of long ? cases : cases.slice(-1)) {
      const requests = (repeats === 1 ? requestsOnce : requestsRepeated) * (long ? 10 : 1);
      const megabytes = (await measurePeak(cacheMegabytes, repeats, requests)) / 1e6;
      const described = `cache of ${cacheMegabytes} MB, each filter ${repeats} times: ${megabytes.toFixed(0)} MB`;
      figures.push(`${requests} requests, ${described}`);
      if (megabytes > megabytesMax) broken.push(`${described}, more than ${megabytesMax} MB`);
    }
    return { figures, broken };
  },
};

/** The peak memory of the server in bytes. */
async function measurePeak(
  cacheMegabytes: number,
  repeats: number,
  requests: number,
): Promise<number> {
  using folder = makeTemporaryFolder();
  await using server = await startServer(`sqlite:${folder.path}/test.db`, {
    args: ['--response-cache-megabytes', `${cacheMegabytes}`],
  });
  let sent = 0;
  let peakBytes = 0;

  async function requestLists(): Promise<void> {
    while (sent < requests) {
      const categoryId = Math.floor(sent / repeats);
      sent += 1;
      if (sent % 500 === 0) peakBytes = Math.max(peakBytes, residentBytes(server.pid));
      const url = `${server.origin}/v1/pets?limit=1&categoryId=${categoryId}`;
      const { httpStatus } = await request(url);
      if (httpStatus !== 200) throw new Error(`A list got ${httpStatus}`);
    }
  }

  await Promise.all(Array.from({ length: connections }, requestLists));
  return peakBytes;
}
