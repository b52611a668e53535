import type { Action } from './actions.ts';
import { backUp, command, copy, restore } from './commands.ts';
import { changeDisk } from './disk-actions.ts';
import { end, serve, serveWithStalledLog, watchServers } from './serve.ts';
import type { World } from './world.ts';
import { write } from './writes.ts';

/** Runs one action if it is possible, and checks its immediate effects. */
export async function perform(world: World, action: Action, canMount: boolean): Promise<void> {
  switch (action.do) {
    case 'serve':
      await serve(world, action.path, action.createData);
      break;
    case 'serve with a stalled log reader':
      await serveWithStalledLog(world, action.path);
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
    case 'workspaces create':
      await command(world, action.do, action.path);
      break;
    case 'restore':
      await restore(world, action.path, action.backup);
      break;
    case 'copy':
      await copy(world, action.from, action.to);
      break;
    default:
      changeDisk(world, action, canMount);
  }
  await watchServers(world);
}
