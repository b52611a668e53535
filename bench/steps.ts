import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { newApiKey } from '../src/cli/new-api-key.ts';
import { scopes } from '../src/domain/api-key.ts';
import { hideApiKeys } from '../src/domain/error.ts';
import { defaultWorkspaceName } from '../src/domain/workspace.ts';
import { createApiKeyUses } from '../src/http/api-key-uses.ts';
import { createAuthenticate } from '../src/http/authenticate.ts';
import { createRateLimiter } from '../src/http/rate-limit.ts';
import { readRequestId } from '../src/http/request-id.ts';
import { createRequestMeters } from '../src/ops/request-meters.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import type { StepResult } from './result.ts';
import { median } from './statistics.ts';
import type { Workbench } from './workbench.ts';

const calls = 200_000;
const rounds = 5;
/** How many rounds the progress is to count. */
export const stepTicks = 8;

/** What every request passes through before its operation, each called again and again in this process. */
export async function measureSteps({ folder, tick }: Workbench): Promise<readonly StepResult[]> {
  const path = join(mkdtempSync(join(folder, 'steps-')), 'steps.db');
  await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  const { text, digest, lastFour } = newApiKey('production');
  await database.write('createApiKey', {
    workspaceName: defaultWorkspaceName,
    apiKey: {
      name: 'steps',
      digest,
      lastFour,
      scopes,
      rateLimit: undefined,
      expiresAt: undefined,
    },
    now: Date.now(),
  });
  const authenticate = createAuthenticate({
    database,
    environment: 'production',
    now: Date.now,
    operatorApiKey: undefined,
  });
  const caller = {
    apiKeyId: 1n,
    workspaceId: 1n,
    workspaceIdText: '1',
    workspaceName: 'default',
    scopes,
    rateLimit: undefined,
  };
  const uses = createApiKeyUses(database);
  const unlimited = createRateLimiter(undefined, () => performance.now());
  const limited = createRateLimiter({ count: 1_000_000_000, seconds: 1 }, () => performance.now());
  const meter = createRequestMeters().meterOf('listPets');
  const noId = new Headers();
  const ownId = new Headers({ 'x-request-id': 'f2a1c8d4-0000-7000-8000-000000000001' });
  const header = `Bearer ${text}`;

  const steps: Record<Exclude<StepResult['name'], 'look for commits'>, () => unknown> = {
    authentication: () => authenticate(header),
    'rate limit, off': () => unlimited(caller, {}),
    'rate limit, on': () => limited(caller, {}),
    'request id, made': () => readRequestId(noId, hideApiKeys) ?? Bun.randomUUIDv7(),
    'request id, sent by the client': () => readRequestId(ownId, hideApiKeys) ?? Bun.randomUUIDv7(),
    'count of the key’s uses': () => uses.note(caller, 1),
    metrics: () => {
      const startedAt = performance.now();
      meter(200, undefined, (performance.now() - startedAt) / 1000);
    },
  };
  const results: StepResult[] = [];
  for (const [name, step] of Object.entries(steps)) {
    time(step);
    const microseconds = Array.from({ length: rounds }, () => time(step));
    results.push({ name: name as StepResult['name'], microseconds: median(microseconds) });
    tick();
  }
  // One look serves what is done for a request before it first waits, so each call has to wait for the next.
  const looks = await timeTurns(() => database.dataVersion());
  const nothing = await timeTurns(() => 0);
  tick();
  return [...results, { name: 'look for commits', microseconds: looks - nothing }];
}

function time(step: () => unknown): number {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) step();
  return since(before);
}

async function timeTurns(step: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) {
    step();
    await undefined;
  }
  return since(before);
}

function since(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}
