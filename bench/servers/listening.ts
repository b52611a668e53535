import { startChild } from '../children.ts';
import type { RunningServer } from '../workbench.ts';

export interface ListeningOptions {
  readonly name: string;
  readonly command: readonly string[];
  /** On 127.0.0.1. */
  readonly port: number;
  readonly cores: string | undefined;
  /** The headers of every request to it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const startMilliseconds = 60_000;
const pollMilliseconds = 20;

/** Starts a server on a given port, and waits for its first answer. */
export async function startListening(options: ListeningOptions): Promise<RunningServer> {
  const { name, command, port, headers, ...rest } = options;
  const child = startChild(command, rest);
  const origin = `http://127.0.0.1:${port}`;
  const ended = child.exited.then((code): never => {
    const { stdout, stderr } = child.output();
    throw new Error(`it ended with ${code}: ${`${stderr} ${stdout}`.trim().slice(-1000)}`);
  });
  await Promise.race([waitForAnswer(origin), ended]);
  return {
    name,
    origin,
    pid: child.pid,
    headers,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

async function waitForAnswer(origin: string): Promise<void> {
  const deadline = performance.now() + startMilliseconds;
  while (performance.now() < deadline) {
    try {
      const response = await fetch(origin, { signal: AbortSignal.timeout(startMilliseconds) });
      await response.bytes();
      return;
    } catch {
      await Bun.sleep(pollMilliseconds);
    }
  }
  throw new Error(`nothing answered at ${origin} for ${startMilliseconds / 1000} s`);
}
