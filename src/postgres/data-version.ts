import type { Connections } from './connection.ts';

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
  }: { staleMillisecondsMax: number; listening: Connections | undefined },
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
      // If this fails, other processes notice the commit later, because their reads expire.
      await connections
        .use((client) => client.query(`NOTIFY ${channel}, '${self}'`))
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

/** Keeps a connection that receives notifications, and reconnects when it ends. */
function listen(connections: Connections, self: string, changed: () => void) {
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
      // Earlier notifications were missed.
      changed();
      if (closing) await close();
    } catch {
      await close?.().catch(() => {});
      retry();
    }
  }

  function retry(): void {
    close = undefined;
    // A failed query and the end of its connection both call this. One retry is enough.
    if (closing || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, reconnectMilliseconds);
    timer.unref();
  }

  void connect();
  return {
    async close() {
      closing = true;
      clearTimeout(timer);
      await close?.().catch(() => {});
    },
  };
}
