import { join } from 'node:path';
import { type Approach, approach, obstacle, settle } from './approach.ts';
import { checkPaths, idGap, runIn } from './commands.ts';
import { look } from './disk.ts';
import { promiseOf, setNote } from './lives.ts';
import { isUntouched } from './overwritten.ts';
import { idOf, type Records } from './records.ts';
import { isLockHeld } from './serve.ts';
import { addFile, Finding, type World, withoutLog } from './world.ts';

/** Takes a file into use that another program restored, or that lost records. */
export async function acceptRestored(world: World, path: string, hasGap: boolean): Promise<void> {
  const before = approach(world, path);
  const { data, served, note, view } = before;
  const args = ['accept-restored', ...(hasGap ? [] : ['--id-gap', '0']), '--yes'];
  const ran = await runIn(world, [...args, '--database', `sqlite:${path}`]);
  if (ran.exitCode !== 0) {
    const mayFail =
      data === undefined ||
      data.ruinedBy !== undefined ||
      served.length > 0 ||
      isLockHeld(world, before) ||
      obstacle(world, before) !== undefined;
    if (!mayFail) throw new Finding('refused', `accept-restored fails: ${ran.stderr}`);
    return;
  }
  checkPaths(before, 'accept-restored');
  if (served.some(isUntouched)) {
    throw new Finding('two-servers by one path', 'accept-restored changes the file of a server');
  }
  if (data === undefined) {
    throw new Finding('empty-shop', 'accept-restored accepts data that is missing');
  }
  const promised = promiseOf(note)?.given ?? new Set<string>();
  settle(world, before);
  const { real } = look(join(world.folder, path));
  // The log of a file that another was copied over is left out.
  const hasItsLog = data.log === undefined || view.log === data.log.key;
  const isWithLog = data.touchedBy === undefined && hasItsLog;
  const found = isWithLog ? data.full : withoutLog(data);
  const records = found && (hasGap ? raise(found, promised) : found);
  const accepted = addFile(world, real, {
    base: records,
    full: records,
    log: undefined,
    ruinedBy: data.ruinedBy,
    touchedBy: undefined,
    isMarked: false,
  });
  world.hadData.add(real);
  setNote(world, real, accepted);
}

/** New ids are above those of the lost records too. */
function raise(records: Records, promised: ReadonlySet<string>): Records {
  const last = Math.max(0, ...[...records.given].map(idOf));
  const below = [...promised].filter((row) => idOf(row) <= last + idGap);
  return { ...records, given: records.given.union(new Set(below)) };
}

/** At the end of a sequence: what a server refuses can be accepted, and is then served. */
export function canAccept({ data, suspicion }: Approach): boolean {
  return suspicion !== undefined && data?.ruinedBy === undefined;
}
