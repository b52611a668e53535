import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { program as ownProgram, runProgram, spawnProgram } from '../../support/server-process.ts';
import type { StalledReader } from '../../support/stalled-reader.ts';
import { apiKey } from '../requests.ts';

/** A command or server that takes longer hangs. */
const hangMilliseconds = 20_000;
/** For `/livez` of a server whose log is not read. */
const livezMilliseconds = 8_000;
const pollMilliseconds = 10;

export interface Program {
  readonly command: readonly string[];
  /** Whether it has the option --create-data and its rules about logs and locks without a file. */
  readonly hasCreateData: boolean;
}

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
  readonly env?: Record<string, string>;
  /** A named pipe for standard output, which is read until the server is ready and no longer. */
  readonly stalledLog?: StalledReader;
}

/** The program in a folder with its sources, or an executable; without a path, that of this repository. */
export async function findProgram(path: string | undefined): Promise<Program> {
  const command = path === undefined ? ownProgram : commandOf(resolve(path));
  const { stdout } = await runProgram(['serve', '--help'], {}, undefined, command);
  return { command, hasCreateData: stdout.includes('--create-data') };
}

function commandOf(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  const main = join(path, 'src/main.ts');
  if (!existsSync(main)) throw new Error(`There is no src/main.ts in ${path}`);
  return [process.execPath, main];
}

export interface Ran {
  /** Undefined if the command had to be ended. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runCommand(
  { command }: Pick<Program, 'command'>,
  args: readonly string[],
  folder: string,
  env: Record<string, string>,
): Promise<Ran> {
  const child = spawnProgram(args, env, folder, [], command);
  const texts = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const exitCode = await within(hangMilliseconds, child.exited);
  if (exitCode === undefined) child.kill('SIGKILL');
  const [stdout, stderr] = await texts;
  return { exitCode, stdout, stderr };
}

export async function startServer(
  { command }: Program,
  { folder, database, args = [], env = {}, stalledLog }: StartOptions,
): Promise<Started> {
  const child = spawnProgram(
    ['serve', '--port', '0', '--database', database, ...args],
    { ANIMAL_STORE_API_KEY: apiKey, ...env },
    folder,
    stalledLog === undefined ? [] : ['sh', '-c', 'exec "$@" >"$0"', stalledLog.path],
    command,
  );
  const stderr = collectText(child.stderr);
  const stdout = stalledLog === undefined ? collectText(child.stdout) : collectPipe(stalledLog);
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

export async function startAndKill(
  { command }: Program,
  database: string,
  milliseconds: number,
  { folder, env }: Pick<StartOptions, 'folder'> & { readonly env: Record<string, string> },
): Promise<void> {
  const child = spawnProgram(
    ['serve', '--port', '0', '--database', database],
    { ANIMAL_STORE_API_KEY: apiKey, ...env },
    folder,
    [],
    command,
  );
  await within(milliseconds, child.exited);
  child.kill('SIGKILL');
  await child.exited;
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

export async function within<Value>(
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

function collectPipe({ read }: StalledReader): () => string {
  let text = '';
  return () => {
    text += read();
    return text;
  };
}

function collectText(stream: ReadableStream<Uint8Array>): () => string {
  let text = '';
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true });
  })();
  return () => text;
}
