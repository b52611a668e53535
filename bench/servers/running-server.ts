/** A server under measurement. */
export interface RunningServer extends AsyncDisposable {
  /** As the tables show it. */
  readonly name: string;
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  readonly pid: number;
  /** That every request to it carries. */
  readonly headers: Readonly<Record<string, string>>;
}

const startMilliseconds = 60_000;
const pollMilliseconds = 20;

/** Waits until a server answers at all. */
export async function waitForAnswer(url: string): Promise<void> {
  const deadline = performance.now() + startMilliseconds;
  while (performance.now() < deadline) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(startMilliseconds) });
      await response.bytes();
      return;
    } catch {
      await Bun.sleep(pollMilliseconds);
    }
  }
  throw new Error(`Nothing answered at ${url} for ${startMilliseconds / 1000} s`);
}

/** A port that was free a moment ago, for servers that cannot tell which one they picked themselves. */
export function findFreePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}
