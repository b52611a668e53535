import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** The command line of the sources. */
export const sourceProgram = [process.execPath, join(import.meta.dir, '../../src/main.ts')];

/** The command line of the sources, or of the executable that this run tests, which starts in a third of the time. */
export const program: readonly string[] =
  process.env.ANIMAL_STORE_TEST_PROGRAM === undefined
    ? sourceProgram
    : [resolve(process.env.ANIMAL_STORE_TEST_PROGRAM)];

export interface ServerProcess extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  /** The key that was printed at the first start. Undefined at later starts. */
  readonly firstKey: string | undefined;
  readonly pid: number;
  /** The exit code or the signal that ended it, after its output is complete. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
  /** Sends a signal and waits for the end. */
  stop(signal: NodeJS.Signals): ServerProcess['ended'];
  /** Waits for a text in standard output. */
  logged(text: string): Promise<unknown>;
  /** The standard output until now, and standard error. */
  output(): { stdout: string; stderr: string };
}

/** Starts the real program on a free port and waits until it is ready. */
export async function startServerProcess(
  databaseUrl: string,
  extra: {
    args?: readonly string[];
    env?: Record<string, string>;
    /** A command that replaces itself by the given one. */
    through?: readonly string[];
    /** Another command line. */
    program?: readonly string[];
  } = {},
): Promise<ServerProcess> {
  const args = ['serve', '--port', '0', '--database', databaseUrl, ...(extra.args ?? [])];
  const folder = makeTemporaryFolder();
  const stderrPath = join(folder.path, 'stderr');
  const child = Bun.spawn([...(extra.through ?? []), ...(extra.program ?? program), ...args], {
    env: { PATH: process.env.PATH, ...extra.env },
    stdin: 'ignore',
    stdout: 'pipe',
    // The server prints its first key before it logs that it is ready. Two pipes could be read in the other order.
    stderr: Bun.file(stderrPath),
  });
  const readStderr = () => readFileSync(stderrPath, 'utf8');
  const stdout = collect(child.stdout);
  const ready = await Promise.race([
    stdout.find(/"url":"(http:\/\/[^"]+)\/v1"/),
    child.exited.then((code) => ({ code })),
  ]);
  if ('code' in ready) {
    const stderr = readStderr();
    folder[Symbol.dispose]();
    throw new Error(`The server ended with ${ready.code}: ${stderr}`);
  }
  const ended = child.exited.then(async () => {
    await stdout.ended;
    return child.signalCode ?? child.exitCode;
  });
  return {
    origin: ready[1] ?? '',
    firstKey: /^ {2}(anst_\S+)$/m.exec(readStderr())?.[1],
    pid: child.pid,
    ended,
    stop(signal) {
      child.kill(signal);
      return ended;
    },
    logged: (text) => stdout.find(new RegExp(RegExp.escape(text))),
    output: () => ({ stdout: stdout.text(), stderr: readStderr() }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}

/** Runs a command to its end. */
export async function runProgram(
  args: readonly string[],
  env: Record<string, string> = {},
  folder?: string,
  command: readonly string[] = program,
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const child = spawnProgram(args, env, folder, [], command);
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

/** The result of a command that ends with one line of reason. */
export function refusal(reason: string, exitCode = 1) {
  return { exitCode, stdout: '', stderr: `animal-store: ${reason}\n` };
}

/** Starts a command. The caller must end it. */
export function spawnProgram(
  args: readonly string[],
  env: Record<string, string> = {},
  folder?: string,
  through: readonly string[] = [],
  command: readonly string[] = program,
) {
  return Bun.spawn([...through, ...command, ...args], {
    ...(folder === undefined ? {} : { cwd: folder }),
    env: { PATH: process.env.PATH, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

/** Runs a command on a terminal to its end, and types when it shows a text. Returns its output. */
export async function runOnTerminal(
  args: readonly string[],
  env: Record<string, string>,
  awaited: string,
  typed: string,
  through: readonly string[] = [],
): Promise<{ exitCode: number; shown: string }> {
  const decoder = new TextDecoder();
  let shown = '';
  let hasTyped = false;
  const child = Bun.spawn([...through, ...program, ...args], {
    env: { PATH: process.env.PATH, TERM: 'dumb', ...env },
    terminal: {
      data(terminal, bytes) {
        shown += decoder.decode(bytes, { stream: true });
        if (hasTyped || !shown.includes(awaited)) return;
        hasTyped = true;
        terminal.write(typed);
      },
    },
  });
  const exitCode = await child.exited;
  child.terminal?.close();
  return { exitCode, shown };
}

/** Reads a stream to its end, and finds texts in it. */
export function collect(stream: ReadableStream<Uint8Array>) {
  let text = '';
  const waiting = new Map<RegExp, (match: RegExpExecArray) => void>();
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      for (const [pattern, resolve] of waiting) {
        const match = pattern.exec(text);
        if (match === null) continue;
        // Otherwise each piece of a long text would search all of it again.
        waiting.delete(pattern);
        resolve(match);
      }
    }
  })();
  return {
    text: () => text,
    ended,
    find(pattern: RegExp): Promise<RegExpExecArray> {
      return new Promise((resolve) => {
        const match = pattern.exec(text);
        if (match !== null) resolve(match);
        else waiting.set(pattern, resolve);
      });
    },
  };
}
