// Measures which files of src a request passes: those with a line that runs more often if five more requests are sent. SQLite runs in this
// process, except for its writer, whose thread is not measured. Run it with `bun test/support/files-passed.ts`.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addPets, equalPets } from './catalogue.ts';
import { openTestApp, type TestApp } from './test-app.ts';

const root = join(import.meta.dir, '../..');

/** What is measured. Each list has a query of its own, so that no answer comes from the cache. */
const requests = {
  GET: (app: TestApp, index: number) => app.send(`/v1/pets?limit=${index + 1}`),
  POST: (app: TestApp, index: number) => app.post({ name: `Rex ${index}`, categoryId: 7 }),
} as const;

const requestCount = 5;

type Hits = ReadonlyMap<string, number>;

if (process.env.FILES_PASSED_REQUEST === undefined) await report();
else await sendRequests();

async function report(): Promise<void> {
  for (const request of Object.keys(requests)) {
    const before = await countHits(request, 0);
    const after = await countHits(request, requestCount);
    const passed = filesOf(after, (line, hits) => hits > (before.get(line) ?? 0));
    const only = new Set(filesOf(after, (line, hits) => hits > 0 && !before.get(line)));
    console.log(
      `${request} passes ${passed.length} files, ${only.size} of them (+) with lines that nothing else ran before:`,
    );
    for (const file of passed) console.log(`  ${only.has(file) ? '+' : ' '} ${file}`);
  }
  const lengths = await Promise.all(
    [...new Bun.Glob('src/**/*.ts').scanSync(root)]
      .filter((file) => !file.endsWith('.test.ts'))
      .map(async (file) => (await readFile(join(root, file), 'utf8')).split('\n').length - 1),
  );
  lengths.sort((a, b) => a - b);
  console.log(`The median file of src has ${lengths[Math.floor(lengths.length / 2)]} lines.`);
}

/** The files of lines that are chosen by their hits. */
function filesOf(all: Hits, isChosen: (line: string, hits: number) => boolean): readonly string[] {
  const lines = [...all].filter(([line, hits]) => isChosen(line, hits));
  return [...new Set(lines.map(([line]) => line.slice(0, line.lastIndexOf(':'))))].sort();
}

/** How often each line ran, by file and number. */
async function countHits(request: string, count: number): Promise<Hits> {
  const folder = await mkdtemp(join(tmpdir(), 'files-passed-'));
  try {
    const { exitCode, stderr } = Bun.spawnSync(
      [
        ...[process.execPath, 'test', '--coverage', '--coverage-reporter=lcov'],
        ...[`--coverage-dir=${folder}`, import.meta.path],
      ],
      {
        cwd: root,
        env: { ...process.env, FILES_PASSED_REQUEST: request, FILES_PASSED_COUNT: String(count) },
      },
    );
    if (exitCode !== 0) throw new Error(String(stderr));
    return readHits(await readFile(join(folder, 'lcov.info'), 'utf8'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function readHits(lcov: string): Hits {
  const hits = new Map<string, number>();
  let file = '';
  for (const line of lcov.split('\n')) {
    if (line.startsWith('SF:')) file = line.slice('SF:'.length);
    const [, number, count] = /^DA:(\d+),(\d+)/.exec(line) ?? [];
    if (number !== undefined && file.startsWith('src/'))
      hits.set(`${file}:${number}`, Number(count));
  }
  return hits;
}

async function sendRequests(): Promise<void> {
  const { test } = await import('bun:test');
  const request = Object.entries(requests).find(
    ([name]) => name === process.env.FILES_PASSED_REQUEST,
  );
  test('sends the requests', async () => {
    await using app = await openTestApp();
    await addPets(app, equalPets(10));
    for (let index = 0; index < Number(process.env.FILES_PASSED_COUNT); index += 1) {
      const response = await request?.[1](app, index);
      if (response?.ok !== true) throw new Error(`The answer was ${response?.status}`);
      await response.text();
    }
  });
}
