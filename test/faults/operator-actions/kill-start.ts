import type { DataPath } from './actions.ts';
import { approach, excuse } from './approach.ts';
import { setNote } from './lives.ts';
import { startAndKill } from './program.ts';
import { isLockHeld } from './serve.ts';
import { step, trackLog, type World } from './world.ts';

/** Starts a server, and kills it while it starts or a little later. */
export async function killStart(world: World, path: DataPath, milliseconds: number): Promise<void> {
  const before = approach(world, path);
  const { data, served, note, view } = before;
  if (data === undefined || served.length > 0 || isLockHeld(world, before)) return;
  if (excuse(world, before) !== undefined) return;
  step(
    world,
    `animal-store serve --database sqlite:${path} & sleep ${milliseconds / 1000}; kill -KILL $!`,
  );
  await startAndKill(world.program, `sqlite:${path}`, milliseconds, world);
  data.log = trackLog(world, `${view.real}-wal`);
  data.isMarked = true;
  if (note === undefined) setNote(world, view.real, data);
}
