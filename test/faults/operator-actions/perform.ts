import { acceptRestored } from './accept-restored.ts';
import type { Action, ContentAction, Then } from './actions.ts';
import { backUp, command, restore } from './commands.ts';
import { changeDisk, tryOnDisk } from './disk-actions.ts';
import { overwritePart } from './overwrite.ts';
import { end, serve, watchServers } from './serve.ts';
import { keepCopies, putBackSnapshot, takeSnapshot } from './snapshots.ts';
import type { RunningServer, World } from './world.ts';
import { write } from './writes.ts';

/** Runs one action if it is possible, and checks its immediate effects. */
export async function perform(world: World, action: Action): Promise<void> {
  switch (action.do) {
    case 'serve':
      await serve(world, action.path, action.createData);
      break;
    case 'write':
      await write(world, action.server, action.adds, action.also);
      break;
    case 'stop':
    case 'kill': {
      const running = world.servers[action.server % Math.max(1, world.servers.length)];
      if (running) await end(world, running, action.do === 'stop' ? 'SIGTERM' : 'SIGKILL');
      break;
    }
    case 'backup':
      await backUp(world, action.path);
      break;
    case 'verify':
    case 'migrate':
    case 'keys create':
      await command(world, action.do, action.path);
      break;
    case 'restore':
      await restore(world, action.path, action.backup);
      break;
    case 'accept-restored':
      await acceptRestored(world, action.path, action.hasGap);
      break;
    case 'overwrite':
    case 'keep copies':
    case 'snapshot':
    case 'put back snapshot':
      await changeContents(world, action);
      break;
    default:
      changeDisk(world, action);
  }
  await watchServers(world);
}

async function changeContents(world: World, action: ContentAction): Promise<void> {
  switch (action.do) {
    case 'overwrite': {
      const [running] = tryOnDisk(
        world,
        () => overwritePart(world, action.path, action.part, action),
        [],
      );
      if (running !== undefined) await continueAfter(world, running, action.then);
      break;
    }
    case 'keep copies':
      tryOnDisk(world, () => keepCopies(world, action.path, action.parts), undefined);
      break;
    case 'snapshot':
      takeSnapshot(world, action.folder);
      break;
    case 'put back snapshot':
      tryOnDisk(world, () => putBackSnapshot(world, action.folder), undefined);
      break;
  }
}

/** A server must not acknowledge a write, or stop as if nothing had happened, before it looks at its files by itself. */
async function continueAfter(world: World, running: RunningServer, then: Then): Promise<void> {
  const isOpen = world.servers.includes(running);
  if (!isOpen || then === 'wait') return;
  if (then === 'write') await write(world, world.servers.indexOf(running), 2, 'nothing');
  else await end(world, running, then === 'stop' ? 'SIGTERM' : 'SIGKILL');
}
