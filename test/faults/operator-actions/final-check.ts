import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { acceptRestored, canAccept } from './accept-restored.ts';
import { approach, observe } from './approach.ts';
import { runIn } from './commands.ts';
import { isGone, keyOf, listFiles, look, sizeOf, tryStat } from './disk.ts';
import { answersLivez } from './program.ts';
import { readAll } from './read-all.ts';
import { countAnimals } from './records.ts';
import { end, serve, settleCommand, watchServers } from './serve.ts';
import { addResult, type DataFile, Finding, step, type World } from './world.ts';
import { write } from './writes.ts';

/** At the end of a sequence, reads all running servers, and verifies and serves each remaining file. */
export async function checkWorld(world: World): Promise<void> {
  const served = new Set<DataFile>();
  for (const [number, running] of [...world.servers].entries()) {
    const { server, data, opened } = running;
    if (server.exit() !== undefined) {
      await watchServers(world);
      continue;
    }
    step(world, `GET everything from the server of ${opened.real}`);
    const all = await readAll(server.origin);
    if ('rows' in all) {
      addResult(world, [...all.rows.keys()].join(', ') || '[]');
      observe(world, data, all.rows);
    } else if (running.overwritten !== undefined && (await server.ended()) !== undefined) {
      await watchServers(world);
      continue;
    } else if (!(await answersLivez(server.origin))) {
      throw new Finding('hang', 'a server does not answer /livez');
    } else if (data.ruinedBy === undefined) {
      throw new Finding('lost-records', `a list gets ${all.httpStatus}`);
    }
    const isStopped = number % 2 === 0;
    await end(world, running, isStopped ? 'SIGTERM' : 'SIGKILL');
    if (isStopped && !isRestless(data)) served.add(data);
  }
  let number = 0;
  for (const data of [...world.files.values()]) {
    number += 1;
    await checkFile(world, data, { number, wasServed: served.has(data) });
  }
}

/** Whether a file must be put under a server again, although one has just served it. */
function isRestless({ ruinedBy, log }: DataFile): boolean {
  return ruinedBy !== undefined || log !== undefined;
}

async function checkFile(
  world: World,
  data: DataFile,
  { number, wasServed }: { readonly number: number; readonly wasServed: boolean },
): Promise<void> {
  if (isGone(data.tracked)) return;
  const paths = listFiles(world.folder).filter((path) => keyOfPath(path) === data.tracked.key);
  const found = paths.find((path) => logAt(path) === data.log?.key) ?? paths[0];
  if (found === undefined) return;
  for (const other of paths) {
    if (other === found) continue;
    step(world, `rm ${relative(world.folder, other)}`);
    rmSync(other);
  }
  const path = relative(world.folder, bringTogether(world, data, found, number));
  if (tryStat(join(world.folder, path))?.size === 0) return;
  removeBrokenLock(world, path);
  const before = approach(world, path);
  const { ruinedBy, isRestored } = data;
  const verified = await runIn(world, ['verify', '--database', `sqlite:${path}`]);
  if (verified.exitCode !== 0 && ruinedBy === undefined) {
    const kind = isRestored ? 'damaged-after-restore' : 'verify-disagrees';
    throw new Finding(kind, `verify finds damage: ${verified.stderr}${verified.stdout}`);
  }
  settleCommand(world, before);
  if (!wasServed) await serveAgain(world, path, verified.exitCode === 0);
  const count = data.full && data.ruinedBy === undefined ? countAnimals(data.full) : undefined;
  const counted = /^default +(\d+) /m.exec(verified.stdout)?.[1];
  if (count !== undefined && verified.exitCode === 0 && Number(counted) !== count) {
    throw new Finding(
      'verify-disagrees',
      `verify counts ${counted} animals, and ${count} are served`,
    );
  }
}

/** A lock that an action has overwritten is no lock. */
function removeBrokenLock(world: World, path: string): void {
  const { real, lockBytes } = look(join(world.folder, path));
  if (lockBytes === 0) return;
  step(world, `rm ${path}.lock`);
  rmSync(`${real}.lock`);
}

async function serveAgain(world: World, path: string, isClean: boolean): Promise<void> {
  const before = approach(world, path);
  const running = await serve(world, path);
  if (running !== undefined) await end(world, running, 'SIGKILL');
  else if (canAccept(before)) {
    await acceptRestored(world, path, true);
    const accepted = await serve(world, path);
    if (accepted === undefined) throw new Finding('refused', 'an accepted file is refused');
    await write(world, world.servers.indexOf(accepted), 1, 'nothing');
    await end(world, accepted, 'SIGKILL');
  } else if (isClean && before.data?.ruinedBy === undefined) {
    throw new Finding('verify-disagrees', 'verify finds no damage, but no server starts');
  }
}

function keyOfPath(path: string): string | undefined {
  const found = tryStat(path);
  return found && keyOf(found);
}

function logAt(path: string): string | undefined {
  return look(path).log;
}

/** Moves a file and its log into one folder if an action has separated them. Returns the path. */
function bringTogether(world: World, data: DataFile, path: string, number: number): string {
  const { log } = data;
  const beside = look(path);
  const isTogether = beside.logBytes === 0 ? isMissing(log) : beside.log === log?.key;
  if (isTogether || data.ruinedBy !== undefined) return path;
  const folder = join(world.folder, `final-${number}`);
  mkdirSync(folder);
  const target = join(folder, 'a.db');
  step(world, `mv ${relative(world.folder, path)} ${relative(world.folder, target)}`);
  renameSync(path, target);
  if (log === undefined || isMissing(log)) return target;
  const logPath = listFiles(world.folder).find((other) => keyOfPath(other) === log.key);
  if (logPath !== undefined && existsSync(logPath)) {
    step(world, `mv ${relative(world.folder, logPath)} ${relative(world.folder, target)}-wal`);
    renameSync(logPath, `${target}-wal`);
  }
  return target;
}

function isMissing(log: DataFile['log']): boolean {
  return log === undefined || isGone(log) || sizeOf(log) === 0;
}
