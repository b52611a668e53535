import { adoptContents, settleEnded } from './approach.ts';
import { readContents } from './contents.ts';
import { look } from './disk.ts';
import { noteAt, promiseOf } from './lives.ts';
import { compareRows, type Records, type ServedRows } from './records.ts';
import { Finding, type Overwritten, type RunningServer, type World } from './world.ts';

/** How a bus error ends a process, directly or by a shell. */
const busErrors: readonly (number | string)[] = ['SIGBUS', 135];

/** A server whose files were changed in place can end at any moment. */
export function isUntouched({ overwritten }: RunningServer): boolean {
  return overwritten === undefined;
}

/** Whether a server whose file was changed in place may end like this. */
export function isEndAllowed({ overwritten }: RunningServer, exit: number | string): boolean {
  if (overwritten === undefined) return false;
  if (exit === 1 || (overwritten.isIndex && busErrors.includes(exit))) return true;
  return exit === 0 && !overwritten.isLoss;
}

/** The end of a server, without the report of a bus error. */
export function textOfEnd(exit: number | string, stderr: string): string {
  return busErrors.includes(exit) ? `${exit}` : `${exit}: ${stderr.trim()}`;
}

/** Checks what a server left whose file was changed in place, after it has ended. */
export function finishOverwritten(
  world: World,
  running: RunningServer,
  exit: number | string,
): void {
  const { data, opened, overwritten } = running;
  if (overwritten === undefined) return;
  const { isLoss, safe, by } = overwritten;
  const isThere = look(opened.real).file === data.tracked.key;
  if (isThere) {
    const found = readContents(opened.real);
    checkAcknowledged(world, running, overwritten, found.full);
    const destroyed = lostRows(safe, found.base);
    if (destroyed.length > 0) {
      const text = `the main file had ${destroyed.join(', ')} before: ${by}`;
      throw new Finding('destroyed-by-stop', text);
    }
  }
  if (!isLoss) {
    const isCheckpointed = !isThere || look(opened.real).logBytes === 0;
    const wasClosed = exit === 0 || exit === 1;
    if (wasClosed && isCheckpointed) settleEnded(running);
  } else if (isThere) adoptContents(world, data, opened.real, by);
  else data.ruinedBy ??= by;
}

function checkAcknowledged(
  world: World,
  { opened }: RunningServer,
  { acknowledged, by }: Overwritten,
  found: ServedRows | undefined,
): void {
  if (acknowledged.size === 0) return;
  const lost = [
    ...lostRows(promiseOf(noteAt(world, opened.real)), found),
    ...[...acknowledged].filter((row) => found?.has(row) !== true),
  ];
  if (lost.length === 0) return;
  const rows = [...acknowledged].join(', ');
  throw new Finding(
    'acknowledged-after-loss',
    `${rows} acknowledged after: ${by}. Lost: ${[...new Set(lost)].join(', ')}`,
  );
}

function lostRows(records: Records | undefined, found: ServedRows | undefined): readonly string[] {
  return records === undefined ? [] : compareRows(records, found ?? new Map(), new Set()).lost;
}
