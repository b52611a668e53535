import { program, spawnProgram } from '../../support/server-process.ts';
import { apiKey } from '../requests.ts';

/** A command or server that takes longer hangs. */
const hangMilliseconds = 20_000;
const livezMilliseconds = 8_000;
const pollMilliseconds = 10;

export interface Server {
  readonly origin: string;
  /** Undefined while it runs. */
  exit(): number | string | undefined;
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  /** Resolves to undefined if the server still runs after `hangMilliseconds`. */
  ended(): Promise<number | string | undefined>;
}

type Started =
  | { readonly state: 'ready'; readonly server: Server }
  | { readonly state: 'ended'; readonly exit: number | string; readonly stderr: string }
  | { readonly state: 'hangs' };

interface StartOptions {
  readonly folder: string;
  readonly database: string;
  readonly args?: readonly string[];
}

export interface Ran {
  /** Undefined if the command had to be ended. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runCommand(
  args: readonly string[],
  folder: string,
  command: readonly string[] = program,
): Promise<Ran> {
  const child = spawnProgram(args, {}, folder, [], command);
  const texts = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const exitCode = await within(hangMilliseconds, child.exited);
  if (exitCode === undefined) child.kill('SIGKILL');
  const [stdout, stderr] = await texts;
  return { exitCode, stdout, stderr };
}

export async function startServer({ folder, database, args = [] }: StartOptions): Promise<Started> {
  const serve = ['serve', '--port', '0', '--database', database, ...args];
  const child = spawnProgram(serve, { ANIMAL_STORE_API_KEY: apiKey }, folder);
  const stderr = collectText(child.stderr);
  const stdout = collectText(child.stdout);
  const endsAt = performance.now() + hangMilliseconds;
  const exit = () => child.signalCode ?? child.exitCode ?? undefined;
  while (performance.now() < endsAt) {
    const origin = /"url":"(http:\/\/[^"]+)\/v1"/.exec(stdout())?.[1];
    if (origin !== undefined) {
      const ended = () =>
        within(
          hangMilliseconds,
          child.exited.then(() => exit() ?? 0),
        );
      return {
        state: 'ready',
        server: { origin, exit, stderr, signal: (name) => child.kill(name), ended },
      };
    }
    const code = exit();
    if (code !== undefined) {
      await child.exited;
      return { state: 'ended', exit: code, stderr: stderr() };
    }
    await Bun.sleep(pollMilliseconds);
  }
  child.kill('SIGKILL');
  await child.exited;
  return { state: 'hangs' };
}

export async function answersLivez(origin: string): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/livez`, {
      signal: AbortSignal.timeout(livezMilliseconds),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function within<Value>(
  milliseconds: number,
  promise: Promise<Value>,
): Promise<Value | undefined> {
  const { promise: late, resolve: end } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => end(undefined), milliseconds);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function collectText(stream: ReadableStream<Uint8Array>): () => string {
  let text = '';
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })();
  return () => text;
}
