import { type AnimalStore, createAnimalStore } from '../../client/src/index.ts';
import { linesOf, seconds } from './figures.ts';

const clients = 16;

/** Users of the client package with its default retries. */
export interface ClientLoad {
  /** Waits for the running calls, and until the feed was read to its end. */
  stop(): Promise<ClientReport>;
}

export interface ClientReport {
  readonly figure: string;
  readonly broken: readonly string[];
}

interface LoadOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The certificate of the server, for animals.example. */
  readonly certificate?: string;
}

/** Adds, lists, reserves, sells and removes animals without a pause, and follows the feed. */
export function startClientLoad({ baseUrl, apiKey, certificate }: LoadOptions): ClientLoad {
  const attempts = countAttempts(certificate);
  const store = createAnimalStore({ baseUrl, apiKey, fetch: attempts.fetch });
  const failed = new Map<string, number>();
  const acknowledged = new Set<string>();
  let calls = 0;
  let longestMilliseconds = 0;
  let isRunning = true;

  /** Returns undefined if the call failed after all its retries. */
  async function call<Result>(name: string, promise: Promise<Result>): Promise<Result | undefined> {
    const startedAt = performance.now();
    calls += 1;
    try {
      return await promise;
    } catch (error) {
      const failure = `${name} failed with ${error}`;
      failed.set(failure, (failed.get(failure) ?? 0) + 1);
      return undefined;
    } finally {
      longestMilliseconds = Math.max(longestMilliseconds, performance.now() - startedAt);
    }
  }

  async function useOnce(name: string): Promise<void> {
    const pet = await call('create', store.pets.create({ name, categoryId: 3n }));
    if (pet === undefined) return;
    acknowledged.add(name);
    await call('list', readAll(store.pets.list({ ids: [pet.id] })));
    const order = await call('order', store.orders.create({ petId: pet.id, note: 'For Ada' }));
    if (order === undefined) return;
    await call('ship', store.orders.update(order.id, { status: 'shipped' }, { ifMatch: order }));
    await call('delete', store.pets.delete(pet.id));
  }

  const feed = followFeed(store);
  const loops = Array.from({ length: clients }, async (_, client) => {
    for (let count = 0; isRunning; count += 1) await useOnce(`Pet ${client} ${count}`);
  });
  return {
    async stop() {
      isRunning = false;
      await Promise.all(loops);
      const { created, lines } = await feed.end();
      const lost = [...acknowledged].filter((name) => created.get(name) !== 1).length;
      const twice = [...created.values()].filter((count) => count > 1).length;
      const failures = [...failed.values()].reduce((sum, count) => sum + count, 0);
      const longest = `the longest ${seconds(longestMilliseconds)}`;
      return {
        figure: `${calls} calls, ${failures} failed, ${longest}, ${attempts.describe()}`,
        broken: [
          ...[...failed].map(([failure, count]) => `${count} times ${failure}`),
          ...lines,
          ...linesOf(
            lost > 0 && `${lost} acknowledged animals were not added exactly once`,
            twice > 0 && `${twice} animals were added twice`,
          ),
        ],
      };
    },
  };
}

async function readAll(list: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of list);
}

/** The `fetch` of a client, and what its attempts got that were tried again. */
function countAttempts(certificate: string | undefined) {
  const tls = certificate && { ca: certificate, serverName: 'animals.example' };
  const times = { refused: [] as number[], disconnected: [] as number[] };
  const send = async (input: string | URL | Request, init: RequestInit = {}) => {
    try {
      const response = await fetch(input, { ...init, ...(tls && { tls }) });
      if (response.status === 503) times.refused.push(performance.now());
      return response;
    } catch (error) {
      if (init.signal?.aborted !== true) times.disconnected.push(performance.now());
      throw error;
    }
  };
  function formatTimes(moments: readonly number[]): string {
    const [first = 0] = moments;
    const last = moments.at(-1) ?? 0;
    return moments.length === 0 ? '0' : `${moments.length} within ${seconds(last - first)}`;
  }
  return {
    fetch: Object.assign(send, { preconnect: fetch.preconnect }),
    describe: () =>
      `503s: ${formatTimes(times.refused)}, lost connections: ${formatTimes(times.disconnected)}`,
  };
}

/** Follows the feed over as many connections as necessary. */
function followFeed(store: AnimalStore) {
  const created = new Map<string, number>();
  const lines: string[] = [];
  const stopping = new AbortController();
  const reached = Promise.withResolvers<void>();
  let position = 0n;
  let head: bigint | undefined;
  const following = (async () => {
    for await (const event of store.events.stream({ after: 0, signal: stopping.signal })) {
      if (event.sequence !== position + 1n) {
        lines.push(`event ${event.sequence} followed event ${position}`);
      }
      position = event.sequence;
      if (event.type === 'pet.created') {
        created.set(event.data.name, (created.get(event.data.name) ?? 0) + 1);
      }
      if (head !== undefined && position >= head) reached.resolve();
    }
  })().catch((error) => {
    if (!stopping.signal.aborted) lines.push(`the stream ended with ${error}`);
    reached.resolve();
  });
  return {
    async end() {
      head = (await store.events.list({ after: 'now' })).position;
      if (position < head) await reached.promise;
      stopping.abort();
      await following;
      return { created, lines };
    },
  };
}
