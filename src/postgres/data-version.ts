import type { Connections } from './connection.ts';

const channel = 'animal_store';
const reconnectMilliseconds = 500;

export interface DataVersionOptions {
  readonly connections: Connections;
  /** Milliseconds for which something read is taken to hold, however silent the server is. 0 for none. */
  readonly staleMillisecondsMax: number;
  /** Hears of the commits of other processes at once, by a connection kept for it. */
  readonly listens: boolean;
}

/** Knows when what was read may no longer hold. */
export interface WatchedDataVersion extends AsyncDisposable {
  readonly current: () => number;
  /** To be called after each commit of this process, before anybody is told of it. */
  committed(): void;
}

/** Rises with each commit of this process, each notice of another one, and with time (docs/decisions/postgresql.md). */
export function watchDataVersion(options: DataVersionOptions): WatchedDataVersion {
  const { connections, staleMillisecondsMax, listens } = options;
  const self = crypto.randomUUID();
  let changes = 0;
  let closing = false;
  const announcer = createAnnouncer(connections, self);
  const listener = listens ? listen(connections, self, () => (changes += 1)) : undefined;

  return {
    current() {
      if (staleMillisecondsMax === 0) return ++changes;
      return changes + Math.floor(performance.now() / staleMillisecondsMax);
    },
    committed() {
      changes += 1;
      if (!closing) announcer.announce();
    },
    async [Symbol.asyncDispose]() {
      closing = true;
      await announcer.finished();
      await listener?.[Symbol.asyncDispose]();
    },
  };
}

/** Tells the other processes, at most one notice at a time: what is committed meanwhile shares the next. */
function createAnnouncer(connections: Connections, self: string) {
  let running: Promise<void> | undefined;
  let again = false;

  async function run(): Promise<void> {
    try {
      do {
        again = false;
        const { client, release, destroy } = await connections.acquire();
        try {
          await client.query(`NOTIFY ${channel}, '${self}'`);
          release();
        } catch {
          destroy();
        }
      } while (again);
    } catch {
      // Nobody can be told now; the others find out by themselves in time.
    } finally {
      running = undefined;
    }
  }

  return {
    announce() {
      again = true;
      running ??= run();
    },
    finished: async () => await running,
  };
}

/** Keeps a connection that hears of others' commits, and makes it anew when it ends. */
function listen(connections: Connections, self: string, changed: () => void): AsyncDisposable {
  let closing = false;
  let close: (() => Promise<void>) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function connect(): Promise<void> {
    try {
      const client = await connections.connect();
      client.on('notification', ({ payload }) => {
        if (payload !== self) changed();
      });
      client.once('end', retry);
      close = () => client.end();
      await client.query(`LISTEN ${channel}`);
      // Whatever was said before this went unheard.
      changed();
      if (closing) await close();
    } catch {
      await close?.().catch(() => {});
      retry();
    }
  }

  function retry(): void {
    close = undefined;
    // Told by the end of the connection and by the failure of what was asked: once is enough.
    if (closing || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, reconnectMilliseconds);
    timer.unref();
  }

  void connect();
  return {
    async [Symbol.asyncDispose]() {
      closing = true;
      clearTimeout(timer);
      await close?.().catch(() => {});
    },
  };
}
