import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowserPage } from '../test/support/browser.ts';
import { runChild } from './children.ts';
import { formatMilliseconds, formatNumber, type Section } from './report.ts';
import { apiKey, startAnimalStore } from './servers/animal-store.ts';
import { median } from './statistics.ts';
import { fillDatabase } from './test-animals.ts';
import { thisVersion } from './versions.ts';
import type { Workbench } from './workbench.ts';

const animals = 100_000;

/** How many times a change that another tab shows, and a revocation, are measured. */
const turns = 9;

/** Measures how long a user of the console waits. */
export async function measureConsole(workbench: Workbench): Promise<readonly Section[]> {
  const folder = mkdtempSync(join(workbench.folder, 'console-'));
  const databaseUrl = `sqlite:${join(folder, 'animals.db')}`;
  await fillDatabase(workbench, databaseUrl, animals);
  await using server = await startAnimalStore(workbench, { databaseUrl });
  await using browser = await openBrowserPage();
  const { page, context } = browser;
  await signIn(page, server.origin, apiKey);
  const scrolled = await scrollToTheEnd(page);
  workbench.tick();

  const other = await context.newPage();
  await other.goto(`${server.origin}/console/w/default/#animals?name=seen`);
  await other.getByText('Live', { exact: true }).waitFor();
  const changes: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const startedAt = performance.now();
    await fetch(`${server.origin}/v1/pets`, {
      method: 'POST',
      headers: { ...server.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `seen ${turn}`, categoryId: 1 }),
    });
    await other.getByText(`Show ${turn} new animal`).waitFor();
    changes.push(performance.now() - startedAt);
  }
  const endings: number[] = [];
  await page.getByRole('button', { name: 'Sign out' }).click();
  for (let turn = 0; turn < turns; turn += 1) {
    const run = async (...words: string[]) => {
      const command = [...thisVersion.command, 'keys', ...words];
      return (await runChild(command, { env: { DATABASE_URL: databaseUrl } })).output().stdout;
    };
    const made = JSON.parse(await run('create', '--name', 'console', '--json'));
    await signIn(page, server.origin, made.apiKey);
    const startedAt = performance.now();
    await run('revoke', `${made.id}`);
    await page.getByText('Your session has ended').waitFor();
    endings.push(performance.now() - startedAt);
  }
  workbench.tick();
  rmSync(folder, { recursive: true });
  const rows: [string, number, number, (value: number) => string][] = [
    ['p95 of a frame', scrolled.frame, 34, formatMilliseconds],
    ['longest task', scrolled.task, 100, formatMilliseconds],
    ['memory of the page, more', scrolled.megabytes, 60, (value) => `${formatNumber(value)} MB`],
    ['a change, until another tab shows it', median(changes), 1000, formatMilliseconds],
    [
      'a revocation with its command, until the page is closed',
      median(endings),
      1000,
      formatMilliseconds,
    ],
  ];
  return [
    {
      title: 'The console',
      text: `Chromium on the machine of the server. ${formatNumber(animals)} animals are scrolled through to the last, with all that has to be loaded; then medians of ${turns} turns.`,
      headings: ['Figure', 'Measured'],
      rows: rows.map(([title, value, , format]) => [title, format(value)]),
      aims: rows.map(([title, value, atMost, format]) => ({
        title: `console: ${title}`,
        atMost,
        value,
        format,
      })),
    },
  ];
}

async function signIn(page: Page, origin: string, key: string): Promise<void> {
  await page.goto(`${origin}/console`);
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('API key').press('Enter');
  await page.getByText('Live', { exact: true }).waitFor();
  await page.locator('.rows [role=row]').first().waitFor();
}

/** Turns the wheel until the last animal is shown. Returns milliseconds, and the growth of the page's memory. */
async function scrollToTheEnd(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const readMegabytes = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6;
  };
  const before = await readMegabytes();
  await page.evaluate(`{
    window.frames_ = []; window.tasks_ = [];
    new PerformanceObserver((list) => tasks_.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask' });
    let last = performance.now();
    requestAnimationFrame(function next(now) { frames_.push(now - last); last = now; requestAnimationFrame(next); });
  }`);
  await page.getByRole('grid').hover();
  const first = page.locator('.rows .number', { hasText: /^1$/ });
  while ((await first.count()) === 0) await page.mouse.wheel(0, 3000);
  const { frames, tasks } = await page.evaluate<{ frames: number[]; tasks: number[] }>(
    '({ frames: frames_, tasks: tasks_ })',
  );
  return {
    frame: frames.sort((left, right) => left - right)[Math.floor(frames.length * 0.95)] ?? 0,
    task: Math.max(0, ...tasks),
    megabytes: (await readMegabytes()) - before,
  };
}
