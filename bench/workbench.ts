import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { misused } from '../src/terminal/cli-failure.ts';
import { killChildren } from './children.ts';

/** The folder and the settings of a run. */
export interface Workbench {
  /** For the databases and files of this run. It is removed at the end. */
  readonly folder: string;
  readonly pinning: Pinning;
  readonly pace: Pace;
  /** Advances the progress bar by one round. */
  readonly tick: () => void;
  /** Adds a sentence about what was left out. */
  readonly note: (text: string) => void;
}

/** How long and how often everything is measured. */
export interface Pace {
  readonly rounds: number;
  readonly secondsPerRound: number;
  /** Runtimes that compile code while they run need this time first. */
  readonly warmUpSeconds: number;
  readonly growthAnimals: readonly number[];
}

/** A server under measurement. */
export interface RunningServer extends AsyncDisposable {
  /** As the tables show it. */
  readonly name: string;
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
  readonly pid: number;
  /** The headers of every request to it. */
  readonly headers: Readonly<Record<string, string>>;
  /** The main process of its database, if it has one. Its time is counted with that of the server. */
  readonly databasePid?: number;
}

/** Which cores the parts of a measurement run on. Undefined leaves the choice to the kernel. */
interface Pinning {
  readonly server: string | undefined;
  readonly load: string | undefined;
  readonly both: string | undefined;
}

/** Chooses one core for the server and another for the load, of those that this process may use. */
export function choosePinning(): Pinning {
  const status = readFileSync('/proc/self/status', 'utf8');
  const list = /^Cpus_allowed_list:\s+(\S+)$/m.exec(status)?.[1] ?? '';
  const [server, load] = list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`);
  });
  return server === undefined || load === undefined || Bun.which('taskset') === null
    ? { server: undefined, load: undefined, both: undefined }
    : { server, load, both: `${server},${load}` };
}

/** Creates the folder of a run. It is removed and all processes are ended when this program ends, also by a signal. */
export function makeRunFolder(parent: string): string {
  let folder: string;
  try {
    folder = mkdtempSync(join(parent, 'animal-store-bench-'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw misused(`--folder must be a folder that can be written to: ${reason}`);
  }
  process.on('exit', () => {
    killChildren();
    rmSync(folder, { recursive: true, force: true });
  });
  process.on('SIGINT', () => process.exit(130));
  process.on('SIGTERM', () => process.exit(143));
  return folder;
}
