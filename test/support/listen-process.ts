import { collect, spawnProgram } from './server-process.ts';

/** The command `listen`, which runs until it is stopped. */
export interface ListenProcess extends AsyncDisposable {
  /** The secret that it printed. */
  readonly secret: string;
  /** Waits for a pattern in standard output. */
  shown(pattern: RegExp): Promise<RegExpExecArray>;
  /** Waits for a pattern in standard error. */
  noted(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal, and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<ListenResult>;
  readonly ended: Promise<ListenResult>;
}

interface ListenResult {
  readonly exitCode: number | null;
  /** The lines about events. */
  readonly lines: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts it, and waits until it has printed its first line. */
export async function startListen(
  server: { readonly origin: string },
  apiKey: string | undefined,
  receiver: string,
  { args = [] as readonly string[], env = {} as Record<string, string> } = {},
): Promise<ListenProcess> {
  const child = spawnProgram(
    ['listen', '--server', server.origin, '--forward-to', receiver, ...args],
    { ANIMAL_STORE_API_KEY: apiKey ?? '', ...env },
  );
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  const ended = child.exited.then(async () => {
    await Promise.all([stdout.ended, stderr.ended]);
    const lines = stdout.text().match(/^\d{4}-.*$/gm) ?? [];
    return { exitCode: child.exitCode, lines, stdout: stdout.text(), stderr: stderr.text() };
  });
  const isPrinted = env.ANIMAL_STORE_WEBHOOK_SECRET !== undefined;
  const pattern = isPrinted ? /^Events of .*\n/m : /^ {2}(whsec_\S+)\n/m;
  const first = await Promise.race([stdout.find(pattern), ended]);
  if ('stderr' in first) throw new Error(`listen ended with ${first.exitCode}: ${first.stderr}`);
  return {
    secret: first[1] ?? '',
    shown: stdout.find,
    noted: stderr.find,
    stop(signal = 'SIGINT') {
      child.kill(signal);
      return ended;
    },
    ended,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await child.exited;
    },
  };
}
