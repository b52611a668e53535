import type { Environment, Scope } from '../../src/domain/access/api-key.ts';
import { hideApiKeys } from '../../src/domain/access/hide-api-keys.ts';
import type { RateLimit } from '../../src/domain/access/rate-limit.ts';
import { type ApiKeyUses, createApiKeyUses } from '../../src/http/access/api-key-uses.ts';
import { newApiKey } from '../../src/http/access/new-api-key.ts';
import { createResponseCache, type ResponseCache } from '../../src/http/answer/response-cache.ts';
import { type App, createApp } from '../../src/http/app.ts';
import { createFeed } from '../../src/http/feed/feed.ts';
import { operations } from '../../src/http/operations.ts';
import type { AppOptions, RefusedConsoleRequest } from '../../src/http/services.ts';
import type { WebhookServices } from '../../src/http/webhook-services.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { prepareData, type TestData } from './engines.ts';
import { createKey } from './new-key.ts';
import { createTestWebhooks } from './test-webhooks.ts';

/** A day on which getPet still answers 200. */
export const testNow = Date.UTC(2027, 0, 15, 12, 0, 0);

export const origin = 'http://animals.test';

interface TestKeyOptions {
  readonly workspace?: string;
  readonly scopes?: readonly Scope[];
  readonly environment?: Environment;
  readonly expiresAt?: number;
  readonly rateLimit?: RateLimit;
}

export interface Sent {
  readonly headers?: Record<string, string>;
  readonly apiKey?: string;
}

/** The whole service on a real database, called as a function. The test sets its clock. */
export interface TestApp extends AsyncDisposable {
  /** The address of its database, which another server may open as well. */
  readonly data: TestData;
  readonly database: Database;
  readonly uses: ApiKeyUses;
  readonly responseCache: ResponseCache;
  readonly webhooks: WebhookServices;
  readonly app: App;
  /** A key of workspace default with every scope. */
  readonly apiKey: string;
  /** The faults in its log. */
  readonly failures: unknown[];
  /** The refused requests to the console in its log. */
  readonly refusals: RefusedConsoleRequest[];
  now: number;
  isDraining: boolean;
  createKey(options?: TestKeyOptions): Promise<{ text: string; id: bigint }>;
  /** Sends a request with the key, unless other headers are given. */
  send(path: string, init?: RequestInit & { apiKey?: string | null }): Promise<Response>;
  /** Sends a body as JSON. Text and bytes are sent unchanged. */
  write(method: string, path: string, body?: unknown, sent?: Sent): Promise<Response>;
  /** Posts an animal. */
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** Existing data for a test app, with the time of its clock and a key. */
interface ExistingData {
  readonly data: TestData;
  readonly apiKey: string;
  readonly now: number;
}

/** Existing data is not written when it is opened. The caller disposes of it. */
export async function openTestApp(
  options: Partial<AppOptions> = {},
  existing?: ExistingData,
): Promise<TestApp> {
  const data = existing?.data ?? (await prepareData());
  const state = { now: existing?.now ?? testNow, isDraining: false };
  const now = () => state.now;
  const database = await data.open({ now });
  const uses = createApiKeyUses(database);
  const responseCache = createResponseCache(database, 2 ** 20);
  const failures: unknown[] = [];
  const refusals: RefusedConsoleRequest[] = [];
  let requestCount = 0;
  const steadyNow = options.steadyNow ?? now;
  const webhooks = createTestWebhooks(now);
  const app = createApp({
    database,
    feed: createFeed({ database, keepsEvents: true, steadyNow }),
    webhooks,
    operations,
    uses,
    environment: 'production',
    operatorApiKey: undefined,
    publicUrls: {},
    corsOrigins: '*',
    console: { signIns: { ok: 0, refused: 0 } },
    rateLimit: undefined,
    responseCache,
    bodySecondsMax: 10,
    steadyNow,
    now,
    newRequestId: () => `test-${++requestCount}`,
    isDraining: () => state.isDraining,
    stopping: new AbortController().signal,
    hideApiKeys,
    trustedProxies: undefined,
    log: {
      answered: undefined,
      read: undefined,
      refused: (entry) => refusals.push(entry),
      failed: ({ error }) => failures.push(error),
      repeated: () => {},
    },
    meterOf: undefined,
    ...options,
  });

  async function createTestKey(key: TestKeyOptions = {}) {
    const { environment = 'production', workspace: workspaceName, ...given } = key;
    const { text, digest, lastFour } = newApiKey(environment);
    const where = { ...(workspaceName === undefined ? {} : { workspaceName }), now: state.now };
    return { text, id: (await createKey(database, { digest, lastFour, ...given }, where)).id };
  }

  const apiKey = existing?.apiKey ?? (await createTestKey()).text;

  async function send(path: string, init: RequestInit & { apiKey?: string | null } = {}) {
    const headers = new Headers(init.headers);
    const key = init.apiKey === undefined ? apiKey : init.apiKey;
    if (key !== null && !headers.has('authorization')) {
      headers.set('authorization', `Bearer ${key}`);
    }
    return await app(new Request(`${origin}${path}`, { ...init, headers }));
  }

  function write(method: string, path: string, body?: unknown, sent: Sent = {}) {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const content = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) };
    const headers = { 'content-type': 'application/json', ...sent.headers };
    return send(path, { ...sent, method, ...content, headers });
  }

  return {
    data,
    database,
    uses,
    responseCache,
    webhooks,
    app,
    apiKey,
    failures,
    refusals,
    get now() {
      return state.now;
    },
    set now(value) {
      state.now = value;
    },
    get isDraining() {
      return state.isDraining;
    },
    set isDraining(value) {
      state.isDraining = value;
    },
    createKey: createTestKey,
    send,
    write,
    post: (body, headers = {}) => write('POST', '/v1/pets', body, { headers }),
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      if (existing === undefined) await data[Symbol.asyncDispose]();
    },
  };
}
