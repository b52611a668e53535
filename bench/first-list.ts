import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { runChild } from './children.ts';
import type { FirstListMedians } from './first-list-load.ts';
import { formatNumber, formatRatio, type Section } from './report.ts';
import { animalsInRows } from './rows.ts';
import { startAnimalStore } from './servers/animal-store.ts';
import { median, medianRatio } from './statistics.ts';
import { fillDatabase } from './test-animals.ts';
import { thisVersion, type Version } from './versions.ts';
import type { RunningServer, Workbench } from './workbench.ts';

/** Measures how long the first list after a commit takes, as a multiple of a page that no cache has. */
export async function measureFirstList(workbench: Workbench): Promise<readonly Section[]> {
  const folder = mkdtempSync(join(workbench.folder, 'first-list-'));
  const databaseUrl = `sqlite:${join(folder, 'animals.db')}`;
  await fillDatabase(workbench, databaseUrl, animalsInRows);
  await using server = await startWithKey(workbench, databaseUrl);
  const { rounds, secondsPerRound, warmUpSeconds } = workbench.pace;
  if (warmUpSeconds > 0) await measureFirstListRound(workbench, server, warmUpSeconds);
  const medians: FirstListMedians[] = [];
  for (let round = 0; round < rounds; round += 1) {
    medians.push(await measureFirstListRound(workbench, server, secondsPerRound));
    workbench.tick();
  }
  const read = (member: keyof FirstListMedians) => medians.map((taken) => taken[member]);
  const lists = read('listMicroseconds');
  const pages = read('pageMicroseconds');
  const afterCommit = read('pageAfterCommitMicroseconds');
  const title = 'The first list after a commit';
  const ratio = medianRatio(lists, pages);
  return [
    {
      title,
      text:
        'One connection adds an animal and requests `GET /v1/pets?limit=20`, and then a page of 20 at one of 1000 random depths, which ' +
        'no cache holds. Then it adds an animal and requests such a page at once. The key is one of the database. Medians until the ' +
        'last byte of the answer.',
      headings: ['First list µs', 'Page µs', '×', 'Page after a commit µs', '×'],
      rows: [
        [
          formatNumber(median(lists)),
          formatNumber(median(pages)),
          formatRatio(ratio),
          formatNumber(median(afterCommit)),
          formatRatio(medianRatio(lists, afterCommit)),
        ],
      ],
      aims: [{ title: `${title} / a page, p50`, atMost: 1.15, value: ratio, format: formatRatio }],
    },
  ];
}

/** Starts our server. Requests to it have a key of the database, as those of users have. */
async function startWithKey(
  workbench: Workbench,
  databaseUrl: string,
  version: Version = thisVersion,
): Promise<RunningServer> {
  const create = [...version.command, 'keys', 'create', '--name', 'bench', '--json'];
  const child = await runChild(create, { env: { DATABASE_URL: databaseUrl } });
  const { apiKey } = JSON.parse(child.output().stdout);
  const server = await startAnimalStore(workbench, { databaseUrl, version });
  return { ...server, headers: { authorization: `Bearer ${apiKey}` } };
}

/** The load runs in a process of its own, so that it has a core of its own. */
async function measureFirstListRound(
  { pinning }: Workbench,
  { origin, headers }: RunningServer,
  seconds: number,
): Promise<FirstListMedians> {
  const load = join(import.meta.dir, 'first-list-load.ts');
  const { authorization = '' } = headers;
  const child = await runChild([process.execPath, load, origin, authorization, `${seconds}`], {
    cores: pinning.load,
  });
  return JSON.parse(child.output().stdout);
}
