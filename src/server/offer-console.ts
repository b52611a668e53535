import { fstatSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { defaultWorkspaceName } from '../domain/access/workspace.ts';
import type { CommandWriter } from '../domain/database/commands.ts';
import type { Log } from '../ops/log.ts';
import { printWithoutWaiting } from '../ops/print-error.ts';
import { CommandFailure } from '../terminal/command-line.ts';
import { checkConsole, makeConsoleLink, type PublicUrlConfig } from './console-link.ts';

/**
 * Prints a link to the console on a terminal, because a user of this terminal has access to the data. The log never contains a
 * link, so the terminal of a container gets the command that prints one.
 */
export async function offerConsole(
  writer: CommandWriter,
  config: PublicUrlConfig & { readonly console: boolean },
  origin: string,
  log: Log,
): Promise<void> {
  if (!config.console || !process.stderr.isTTY) return;
  try {
    if (isConsoleOfContainer()) {
      checkConsole(config, origin);
      printWithoutWaiting(
        `Open the console with a link from this command: docker exec ${hostname()} animal-store console\n`,
      );
      return;
    }
    const place = { origin, workspace: defaultWorkspaceName };
    const { url } = await makeConsoleLink(writer, config, place);
    printWithoutWaiting(`Open the console: ${url} (signs in once, within five minutes)\n`);
  } catch (error) {
    // There is no console at this address. Its page states the reason.
    if (error instanceof CommandFailure) return;
    log.warn({ err: error }, 'no link to the console could be made');
  }
}

/**
 * Whether the log of a container keeps standard error, although it is a terminal, as with `docker run -t`. Runtimes mount that
 * terminal at /dev/console. The terminal of `docker exec -t` is another one, and no log keeps it.
 * https://github.com/opencontainers/runtime-spec/blob/main/config-linux.md#default-devices
 */
function isConsoleOfContainer(): boolean {
  if (process.pid === 1) return true;
  const device = statSync('/dev/console', { throwIfNoEntry: false });
  const { dev, ino } = fstatSync(2);
  return device?.dev === dev && device.ino === ino;
}
