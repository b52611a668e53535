import type { PublishedNginx } from '../support/published-nginx.ts';
import { replaceEach } from '../support/replace-each.ts';
import { type ConnectionAnswer, type Connections, openConnections } from './connections.ts';

const clients = 32;

/** All clients have the same address, so the limit for each address would reject them. */
export function withoutLimit(site: string): string {
  return replaceEach(site, [['rate=100r/s', 'rate=100000r/s']]);
}

export function connectTo({ tlsPort, certificate }: PublishedNginx): Connections {
  return openConnections(tlsPort, { ca: certificate, serverName: 'animals.example' });
}

/** Clients without a pause, and the unexpected answers that they got. */
export interface ProxyLoad {
  requests: number;
  addFailure(request: string, answer: ConnectionAnswer): void;
  /** Waits for the running requests. Returns the failures as lines, and their number. */
  stop(): Promise<{ readonly failures: number; readonly lines: readonly string[] }>;
}

/** Calls `runClient` for each client again and again. */
export function startProxyLoad(
  runClient: (load: ProxyLoad, client: number, count: number) => Promise<void>,
): ProxyLoad {
  const failed = new Map<string, number>();
  let running = true;
  const load: ProxyLoad = {
    requests: 0,
    addFailure(request, { httpStatus, body }) {
      const failure = `${request} got ${httpStatus} ${body}`.trim();
      failed.set(failure, (failed.get(failure) ?? 0) + 1);
    },
    async stop() {
      running = false;
      await Promise.all(loops);
      return {
        failures: [...failed.values()].reduce((sum, count) => sum + count, 0),
        lines: [...failed].map(([failure, count]) => `${count} times ${failure}`),
      };
    },
  };
  const loops = Array.from({ length: clients }, async (_, client) => {
    for (let count = 0; running; count += 1) await runClient(load, client, count);
  });
  return load;
}
