import { background } from '../context/context.ts';
import { repeat } from '../context/repeat.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../storage/contract/database-error.ts';
import type { Connections } from './connections.ts';

const channel = 'animal_store';
const reconnectMilliseconds = 500;

/**
 * A data version that rises with each commit of this process, each notice of another one, and with time
 * (docs/decisions/postgresql.md). Without a notice, reads may be reused for `staleMillisecondsMax`; 0 means never. One connection of
 * `listening` receives the notices.
 */
export function watchDataVersion(
  connections: Connections,
  {
    staleMillisecondsMax,
    listening,
  }: { staleMillisecondsMax: number; listening: Listening | undefined },
) {
  const self = crypto.randomUUID();
  let changes = 0;
  let closing = false;
  const announcer = createAnnouncer(connections, self);
  const listener = listening && listen(listening, self, () => (changes += 1));

  return {
    current() {
      if (staleMillisecondsMax === 0) return ++changes;
      return changes + Math.floor(performance.now() / staleMillisecondsMax);
    },
    changed(): void {
      changes += 1;
    },
    /** Call this after each commit of this process, before its result is returned. */
    committed() {
      changes += 1;
      if (!closing) announcer.announce();
    },
    async [Symbol.asyncDispose]() {
      closing = true;
      await announcer.finished();
      await listener?.close();
    },
  };
}

/** Notifies other processes, one notification at a time. Commits during that share the next one. */
function createAnnouncer(connections: Connections, self: string) {
  let running: Promise<void> | undefined;
  let again = false;

  async function run(): Promise<void> {
    while (again) {
      again = false;
      await connections
        .use((client) => client.query(`NOTIFY ${channel}, '${self}'`))
        // Other processes notice the commit later, because their reads expire.
        .catch(() => {});
    }
    running = undefined;
  }

  return {
    announce() {
      again = true;
      running ??= run();
    },
    finished: async () => running,
  };
}

/** Where notices come from. */
export interface Listening {
  readonly connections: Connections;
  /** @throws DatabaseUnusable if they lead to another database, or notices do not arrive through them. */
  check(): Promise<void>;
  /** Receives one line for the operator. */
  readonly report: (line: string) => void;
}

/** Keeps a connection that receives notifications, and connects again when it ends. */
function listen({ connections, check, report }: Listening, self: string, changed: () => void) {
  const closing = new AbortController();
  const { signal } = closing;

  async function listenOnce(): Promise<never> {
    // At the start, its host may not have answered.
    await check();
    const client = await connections.connect();
    const ended = Promise.withResolvers<void>();
    const end = () => {
      // The connection may have ended already.
      client.end().catch(() => {});
    };
    client.on('notification', ({ payload }) => {
      if (payload !== self) changed();
    });
    client.once('end', () => ended.resolve());
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      await client.query(`LISTEN ${channel}`);
      // Earlier notifications were missed.
      changed();
      await ended.promise;
      throw new DatabaseUnavailable('The connection for notices has ended');
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }

  const restMilliseconds = reconnectMilliseconds;
  const listening = repeat(
    { ...background, signal },
    { isPassing: (error) => !(error instanceof DatabaseUnusable), restMilliseconds },
    listenOnce,
  ).catch((error: unknown) => {
    // Without notices, commits of others are noticed later, because reads expire.
    if (error instanceof DatabaseUnusable) {
      report(`${error.message}. So commits of other servers are looked for instead of notified`);
    }
  });
  return {
    async close() {
      closing.abort();
      await listening;
    },
  };
}
