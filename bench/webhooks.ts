import { join } from 'node:path';
import { runChild } from './children.ts';
import { formatNumber, formatRatio, type Section } from './report.ts';
import { type EngineServer, startEngines } from './servers/engines.ts';
import { createKeys } from './servers/keys.ts';
import { median, medianRatio } from './statistics.ts';
import type { WebhookFigures, WebhookPlan } from './webhook-load.ts';
import type { Workbench } from './workbench.ts';

const addsPerSecond = 20;

/** Longer rounds, because only one delay in a hundred is in the p99. */
const roundFactor = 5;

/** The number of rounds, for the progress bar. */
export function webhookTicks({ rounds }: Workbench['pace']): number {
  return 2 * rounds;
}

/** Measures how late events reach a healthy endpoint, alone and beside endpoints that fail. */
export async function measureWebhooks(workbench: Workbench): Promise<readonly Section[]> {
  await using engines = await startEngines(workbench, 1, ['--webhook-allow', '127.0.0.1']);
  const { rounds, secondsPerRound } = workbench.pace;
  const measured = [];
  for (const server of engines.servers) {
    const [key = ''] = await createKeys(server.databaseUrl, 1);
    const measure = (hasBadEndpoints: boolean) =>
      runWebhookLoad(workbench, server, {
        headers: { authorization: `Bearer ${key}` },
        hasBadEndpoints,
        addsPerSecond,
        seconds: roundFactor * secondsPerRound,
      });
    const alone: WebhookFigures[] = [];
    const beside: WebhookFigures[] = [];
    measured.push({ name: server.name, measure, alone, beside });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { measure, alone, beside } of measured) {
      alone.push(await measure(false));
      beside.push(await measure(true));
      workbench.tick();
    }
  }
  const figures = measured.map(({ name, alone, beside }) => {
    const middle = (taken: readonly WebhookFigures[], member: keyof WebhookFigures) =>
      formatNumber(median(taken.map((one) => one[member])));
    const ratio = medianRatio(beside.map(p99Of), alone.map(p99Of));
    const cells = [alone, beside].flatMap((taken) => [
      middle(taken, 'p50Milliseconds'),
      middle(taken, 'p99Milliseconds'),
    ]);
    return { name, ratio, row: [name, ...cells, formatRatio(ratio)] };
  });
  return [
    {
      title: 'Webhooks beside bad endpoints',
      text:
        `${addsPerSecond} animals a second are added, and a webhook receives their events: alone, and in turns beside five webhooks ` +
        'whose endpoints never answer, reset the connection, send a body byte by byte, send a gigabyte, and redirect. Delays are from ' +
        'the answer 201 until the request with the event arrives. The ratio is that of the p99.',
      headings: ['Server', 'p50 ms', 'p99 ms', 'Beside, p50 ms', 'Beside, p99 ms', '×'],
      rows: figures.map(({ row }) => row),
      aims: figures.map(({ name, ratio }) => ({
        title: `${name}: webhook beside bad endpoints / alone, p99`,
        atMost: 1.2,
        value: ratio,
        format: formatRatio,
      })),
    },
  ];
}

function p99Of({ p99Milliseconds }: WebhookFigures): number {
  return p99Milliseconds;
}

async function runWebhookLoad(
  { pinning }: Workbench,
  { origin }: EngineServer,
  settings: Omit<WebhookPlan, 'origin'>,
): Promise<WebhookFigures> {
  const plan: WebhookPlan = { origin, ...settings };
  const load = join(import.meta.dir, 'webhook-load.ts');
  const child = await runChild([process.execPath, load, JSON.stringify(plan)], {
    cores: pinning.load,
  });
  return JSON.parse(child.output().stdout);
}
