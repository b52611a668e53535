import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram, spawnProgram } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { buildIoErrorLibrary, missingForIoErrors } from './io-errors.ts';
import { turns } from './kill-points.ts';

export const restoreCommands: Fault = {
  name: 'restore-commands',
  title: 'restore held (SIGSTOP) before each of its steps on disk, and a key created meanwhile',
  promise:
    'The key is refused; or its id is not given out again, and the audit trail of the restored data tells of it.',
  missing: missingForIoErrors,
  run,
};

interface MadeKey {
  readonly id: number;
  readonly lastFour: string;
}

async function run(): Promise<FaultOutcome> {
  using tools = makeTemporaryFolder();
  const library = buildIoErrorLibrary(tools.path);
  using folder = makeTemporaryFolder();
  const env = { DATABASE_URL: `sqlite:${join(folder.path, 'animals.db')}` };
  const backup = join(folder.path, 'backup.db');
  const reached = join(tools.path, 'reached');
  await createKey(env);
  await runProgram(['backup', backup], env);
  const broken = new Set<string>();
  let steps = 0;
  let refusals = 0;
  for (let at = 1; ; at += 1) {
    rmSync(reached, { force: true });
    // So that there is a log to fold.
    await createKey(env);
    const restore = spawnProgram(['restore', backup], {
      ...env,
      LD_PRELOAD: library,
      IO_ERROR_AT: String(at),
      IO_ERROR_STOPS: '1',
      IO_ERROR_CALLS: turns,
      IO_ERROR_COUNTER: reached,
    });
    const wasStopped = await stopped(restore, reached);
    const made = wasStopped ? await createKey(env) : undefined;
    restore.kill('SIGCONT');
    if ((await restore.exited) !== 0) broken.add(await new Response(restore.stderr).text());
    if (!wasStopped) break;
    steps += 1;
    if (made === undefined) refusals += 1;
    else for (const line of await findFaults(env, made)) broken.add(line);
  }
  if (steps === 0) broken.add('the restore was stopped at no step');
  const verified = await runProgram(['verify'], env);
  if (verified.exitCode !== 0) broken.add(verified.stderr.trim());
  return {
    figures: [
      `${steps} steps, at ${refusals} of them the key was refused`,
      broken.size === 0 ? 'none was lost sight of' : [...broken].join(', '),
    ],
    broken: [...broken],
  };
}

type Process = ReturnType<typeof spawnProgram>;

/** Waits until a process stands still, or has ended without. */
async function stopped(process: Process, reached: string): Promise<boolean> {
  while (process.exitCode === null) {
    if (existsSync(reached) && stateOf(process.pid) === 'T') return true;
    await Bun.sleep(2);
  }
  return false;
}

function stateOf(pid: number): string | undefined {
  return /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
}

/** Undefined where it was refused. */
async function createKey(env: Record<string, string>): Promise<MadeKey | undefined> {
  const { exitCode, stdout } = await runProgram(['keys', 'create', '--name', 'a', '--json'], env);
  return exitCode === 0 ? (JSON.parse(stdout) as MadeKey) : undefined;
}

async function findFaults(
  env: Record<string, string>,
  { id, lastFour }: MadeKey,
): Promise<string[]> {
  const { stdout } = await runProgram(['audit', '--all', '--json'], env);
  const entries = JSON.parse(stdout) as { details: Partial<MadeKey> }[];
  const next = await createKey(env);
  return [
    !entries.some(({ details }) => details.lastFour === lastFour) &&
      'the audit trail does not tell of a key',
    (next === undefined || next.id <= id) && `after key ${id} came key ${next?.id}`,
  ].filter((line) => line !== false);
}
