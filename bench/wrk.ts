import { join } from 'node:path';
import { type Child, startChild } from './children.ts';

/** What the load sends, again and again. */
export type Load =
  | { readonly kind: 'get'; readonly path: string; readonly headers?: Headers }
  /** A path drawn at random for each request. `paths` are the lines of the file. */
  | { readonly kind: 'paths'; readonly paths: readonly string[]; readonly file: string }
  | { readonly kind: 'create'; readonly path: string; readonly body: string }
  /** From each connection after a rest, of this length in the mean. */
  | {
      readonly kind: 'paced';
      readonly path: string;
      readonly body: string;
      readonly restMilliseconds: number;
    }
  /** 95 % GET and 5 % POST, at random. */
  | {
      readonly kind: 'mixed';
      readonly path: string;
      readonly createPath: string;
      readonly body: string;
    };

type Headers = Readonly<Record<string, string>>;

export interface LoadOptions {
  readonly origin: string;
  readonly load: Load;
  readonly headers: Headers;
  readonly connections: number;
  readonly seconds: number;
  readonly cores: string | undefined;
  /** Decides what is drawn at random, so that no two rounds draw the same. */
  readonly seed: number;
}

export interface LoadOutcome {
  readonly requests: number;
  readonly durationMicroseconds: number;
  readonly latencyP50Microseconds: number;
  readonly latencyP99Microseconds: number;
  readonly latencyMaxMicroseconds: number;
  readonly failedRequests: number;
  readonly loadCpuMicroseconds: number;
}

const scriptFolder = join(import.meta.dir, 'wrk');

/** A slow flush keeps writers waiting longer than wrk would by itself. */
const timeoutSeconds = 20;

/** Puts a server under load for some seconds. */
export async function runLoad(options: LoadOptions): Promise<LoadOutcome> {
  await using child = startLoad(options);
  return await readOutcome(child, options);
}

/** Starts a load that is to be stopped with SIGINT before its time, and then read. */
export function startLoad(options: LoadOptions): Child {
  const { origin, load, connections, seconds, cores } = options;
  const headers = { ...options.headers, ...(load.kind === 'get' ? load.headers : {}) };
  return startChild(
    [
      'wrk',
      '--threads=1',
      `--connections=${connections}`,
      `--duration=${seconds}s`,
      `--timeout=${timeoutSeconds}s`,
      `--script=${join(scriptFolder, `${load.kind}.lua`)}`,
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      `${origin}${load.kind === 'paths' ? load.paths[0] : load.path}`,
      '--',
      ...scriptArguments(options),
    ],
    { cores },
  );
}

/** Waits for the end of a load. */
export async function readOutcome(child: Child, options: LoadOptions): Promise<LoadOutcome> {
  const limit = setTimeout(
    () => void child.stop('SIGKILL'),
    (options.seconds + timeoutSeconds + 10) * 1000,
  );
  const exitCode = await child.exited;
  clearTimeout(limit);
  const { stdout, stderr } = child.output();
  const line = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) {
    throw new Error(`wrk ended with ${exitCode} and no result: ${stderr.trim() || stdout.trim()}`);
  }
  const outcome: Omit<LoadOutcome, 'loadCpuMicroseconds'> = JSON.parse(line);
  return { ...outcome, loadCpuMicroseconds: child.cpuMicroseconds() };
}

function scriptArguments({ load, seed }: LoadOptions): readonly string[] {
  switch (load.kind) {
    case 'get':
      return [];
    case 'paths':
      return [load.file, `${seed}`];
    case 'create':
      return [load.body];
    case 'paced':
      return [load.body, `${load.restMilliseconds}`, `${seed}`];
    case 'mixed':
      return [load.body, load.createPath, `${seed}`];
  }
}
