const endMillisecondsMax = 5000;

/**
 * Ends all processes of a temporary folder and waits for their end: `first` by SIGKILL, because it would start others
 * again, and all others by a signal. Those that still run after 5 s are killed.
 */
export async function endProcesses(
  folder: string,
  signal: NodeJS.Signals,
  first?: number,
): Promise<void> {
  const pids = processesOf(folder);
  if (first !== undefined && pids.includes(first)) send(first, 'SIGKILL');
  for (const pid of pids) send(pid, signal);
  if (await haveEnded(pids, folder)) return;
  for (const pid of processesOf(folder)) send(pid, 'SIGKILL');
  if (await haveEnded(pids, folder)) return;
  throw new Error(`processes of ${folder} do not end`);
}

/** Also finds processes whose parents have ended, such as PostgreSQL, which Patroni starts through another process. */
function processesOf(folder: string): number[] {
  const named = pgrep('-f', folder);
  return [...named, ...named.flatMap((pid) => pgrep('-P', String(pid)))];
}

function pgrep(...args: string[]): number[] {
  const { stdout } = Bun.spawnSync(['pgrep', '--runstates', 'DRSTt', ...args]);
  return (stdout.toString().match(/\d+/g) ?? []).map(Number);
}

async function haveEnded(pids: readonly number[], folder: string): Promise<boolean> {
  const deadline = performance.now() + endMillisecondsMax;
  while (performance.now() < deadline) {
    const isAny = processesOf(folder).length > 0 || pids.some(isRunning);
    if (!isAny) return true;
    await Bun.sleep(20);
  }
  return false;
}

/** Returns false for a zombie, which stays where no process waits for orphans. */
function isRunning(pid: number): boolean {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'stat=', '-p', String(pid)]);
  return /^[^Z\s]/.test(stdout.toString());
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
