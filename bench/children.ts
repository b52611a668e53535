import { readdirSync, readFileSync } from 'node:fs';

interface ChildOptions {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The cores on which it may run, such as `0` or `0,1`. Undefined for all cores. */
  readonly cores?: string | undefined;
  /** The end of its standard input stops it, and no signal. So it also stops when this program ends. */
  readonly stopsWithInput?: boolean;
}

/** A child process. It ends with this program at the latest. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** The exit code. */
  readonly exited: Promise<number>;
  /** Waits until standard output matches the pattern. Undefined if the process ended before. */
  find(pattern: RegExp): Promise<RegExpExecArray | undefined>;
  /** All of standard output so far, and standard error. */
  output(): { readonly stdout: string; readonly stderr: string };
  /** Microseconds of user and system time, after the process has ended. */
  cpuMicroseconds(): number;
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** How long a process may take to end by itself before it is killed. */
const stopMilliseconds = 10_000;

/** The ids of the processes that were started here and have not ended. */
const running = new Set<number>();

export function startChild(command: readonly string[], options: ChildOptions = {}): Child {
  const { cores, folder, env, stopsWithInput = false } = options;
  const pinned = cores === undefined ? command : ['taskset', '-c', cores, ...command];
  const child = Bun.spawn([...pinned], {
    ...(folder === undefined ? {} : { cwd: folder }),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdin: stopsWithInput ? 'pipe' : 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  running.add(child.pid);
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const exited = child.exited.then(async (code) => {
    running.delete(child.pid);
    await Promise.all([stdout.ended, stderr.ended]);
    return code;
  });

  async function stop(signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    if (stopsWithInput) child.stdin?.end();
    else child.kill(signal);
    const timer = setTimeout(() => killTree(child.pid), stopMilliseconds);
    await exited;
    clearTimeout(timer);
  }

  return {
    pid: child.pid,
    exited,
    find: (pattern) => Promise.race([stdout.find(pattern), exited.then(() => undefined)]),
    output: () => ({ stdout: stdout.text(), stderr: stderr.text() }),
    cpuMicroseconds: () => Number(child.resourceUsage()?.cpuTime.total ?? 0),
    stop,
    [Symbol.asyncDispose]: () => stop('SIGTERM'),
  };
}

/** Runs a command to its end. Throws if it fails. */
export async function runChild(command: readonly string[], options?: ChildOptions): Promise<Child> {
  const child = startChild(command, options);
  const exitCode = await child.exited;
  if (exitCode !== 0) {
    const { stdout, stderr } = child.output();
    throw new Error(
      `${command.join(' ')} ended with ${exitCode}: ${`${stderr}\n${stdout}`.trim().slice(-2000)}`,
    );
  }
  return child;
}

/** A process and its descendants that still run. */
export function processTree(pid: number): readonly number[] {
  const pids = [pid];
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim();
      for (const child of children === '' ? [] : children.split(' ')) {
        pids.push(...processTree(Number(child)));
      }
    }
  } catch {
    // The process ended during the read.
  }
  return pids;
}

/** Ends all child processes without waiting, such as after Ctrl-C. */
export function killChildren(): void {
  for (const pid of running) killTree(pid);
}

function killTree(root: number): void {
  for (const pid of processTree(root)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended before the signal.
    }
  }
}

function collect(stream: ReadableStream<Uint8Array>) {
  let text = '';
  const waiting: { pattern: RegExp; resolve: (match: RegExpExecArray) => void }[] = [];
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      for (const { pattern, resolve } of waiting) {
        const match = pattern.exec(text);
        if (match !== null) resolve(match);
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
        else waiting.push({ pattern, resolve });
      });
    },
  };
}
