import { collect, spawnProgram } from '../../support/server-process.ts';
import { apiKey } from '../requests.ts';

/** A command or server that takes longer hangs. */
const hangMilliseconds = 20_000;
const livezMilliseconds = 8_000;

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

export async function runCommand(args: readonly string[], folder: string): Promise<Ran> {
  const child = spawnProgram(args, {}, folder);
  const texts = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const exitCode = await within(hangMilliseconds, child.exited);
  if (exitCode === undefined) child.kill('SIGKILL');
  const [stdout, stderr] = await texts;
  return { exitCode, stdout, stderr };
}

export async function startServer({ folder, database, args = [] }: StartOptions): Promise<Started> {
  const serve = ['serve', '--port', '0', '--database', database, ...args];
  const child = spawnProgram(serve, { ANIMAL_STORE_API_KEY: apiKey }, folder);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const exit = () => child.signalCode ?? child.exitCode ?? undefined;
  const begun = Promise.race([stdout.find(/"url":"(http:\/\/[^"]+)\/v1"/), child.exited]);
  const ready = await within(hangMilliseconds, begun);
  if (ready === undefined) {
    child.kill('SIGKILL');
    await child.exited;
    return { state: 'hangs' };
  }
  if (typeof ready === 'number') {
    await stderr.ended;
    return { state: 'ended', exit: exit() ?? ready, stderr: stderr.text() };
  }
  const server: Server = {
    origin: ready[1] ?? '',
    exit,
    stderr: stderr.text,
    signal: (name) => child.kill(name),
    ended: () =>
      within(
        hangMilliseconds,
        child.exited.then(() => exit() ?? 0),
      ),
  };
  return { state: 'ready', server };
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
