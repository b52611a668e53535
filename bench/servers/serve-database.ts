import { background } from '../../src/context/context.ts';
import { hideApiKeys } from '../../src/domain/access/hide-api-keys.ts';
import { defaultWorkspaceName } from '../../src/domain/access/workspace.ts';
import { createApiKeyUses } from '../../src/http/access/api-key-uses.ts';
import { digestApiKey } from '../../src/http/access/authenticate.ts';
import { createResponseCache } from '../../src/http/answer/response-cache.ts';
import { createApp } from '../../src/http/app.ts';
import { createFeed } from '../../src/http/feed/feed.ts';
import { operations } from '../../src/http/operations.ts';
import { bodySecondsMax } from '../../src/http/request/read-json.ts';
import { startServer } from '../../src/http/server.ts';
import { settings } from '../../src/ops/config.ts';
import { createWebhookServices } from '../../src/server/webhook-services.ts';
import type { Database } from '../../src/storage/contract/database.ts';

/** Serves a database like `serve`, with the key of the environment, and prints its address in the same format. */
export async function serveDatabase(database: Database): Promise<void> {
  const workspace = await database.findWorkspace(background, defaultWorkspaceName);
  if (workspace === undefined) throw new Error('There is no default workspace');
  const cacheBytes = Number(settings.responseCacheMegabytes.default) * 2 ** 20;
  const steadyNow = () => performance.now();
  const app = createApp({
    database,
    feed: createFeed({ database, keepsEvents: true, steadyNow }),
    webhooks: createWebhookServices([]),
    operations,
    uses: createApiKeyUses(database),
    environment: 'production',
    operatorApiKey: { digest: digestApiKey(process.env.ANIMAL_STORE_API_KEY ?? ''), workspace },
    publicUrls: {},
    corsOrigins: '*',
    console: undefined,
    rateLimit: undefined,
    responseCache: createResponseCache(database, cacheBytes),
    bodySecondsMax,
    now: Date.now,
    steadyNow,
    newRequestId: () => Bun.randomUUIDv7(),
    isDraining: () => false,
    stopping: new AbortController().signal,
    hideApiKeys,
    trustedProxies: undefined,
    log: {
      answered: undefined,
      read: undefined,
      refused: () => {},
      failed: ({ error }) => console.error(error),
      repeated: ({ error }) => console.error(error),
    },
    meterOf: undefined,
  });
  const server = startServer({ hostname: '127.0.0.1', port: 0, app });
  process.stdout.write(`{"url":"${server.origin}/v1"}\n`);
  process.on('SIGTERM', async () => {
    await server.stop(1000);
    await database[Symbol.asyncDispose]();
    process.exit(0);
  });
}
