import { fstatSync, statSync } from 'node:fs';
import { background } from '../context/context.ts';
import { linkMilliseconds } from '../domain/access/console-session.ts';
import { defaultWorkspaceName } from '../domain/access/workspace.ts';
import { unprotectedFault } from '../http/console/console-guard.ts';
import { newConsoleToken } from '../http/console/token.ts';
import { basePath, consoleUrlOf, reachable } from '../http/public-urls.ts';
import type { Log } from '../ops/log.ts';
import { writeStderrUnawaited } from '../ops/output.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import { CliFailure, noSuchWorkspace } from '../terminal/cli-failure.ts';
import { type PublicUrlConfig, publicUrlsOf } from './public-urls.ts';

/**
 * Makes a link that signs an owner in to the console, once. The secret follows the `#`, which browsers do not send. Without a
 * public URL, the link leads to `origin`. Without a workspace, the browser opens the one that it showed last.
 * @throws CliFailure if the workspace does not exist, or if others on the network could read the link.
 */
export async function makeConsoleLink(
  writer: CommandWriter,
  config: PublicUrlConfig,
  origin: string,
  workspace?: string,
) {
  const baseUrl = checkConsole(config, origin);
  const { text, digest } = newConsoleToken();
  const now = Date.now();
  const expiresAt = now + linkMilliseconds;
  const workspaceName = workspace ?? defaultWorkspaceName;
  const link = { digest, workspaceName, now, expiresAt };
  const outcome = await writer.write(background, 'createConsoleLink', link);
  if ('refused' in outcome) throw noSuchWorkspace(workspaceName);
  return { url: `${consoleUrlOf(baseUrl, workspace)}#link=${text}`, expiresAt };
}

/**
 * Returns the base URL of the console.
 * @throws CliFailure if the console does not work at this URL.
 */
function checkConsole(config: PublicUrlConfig, origin: string): string {
  const publicUrl = publicUrlsOf(config)[config.environment];
  const baseUrl = publicUrl ?? `${reachable(origin)}${basePath}`;
  const fault = unprotectedFault(baseUrl);
  if (fault !== undefined) throw new CliFailure(fault);
  return baseUrl;
}

/**
 * Prints a link to the console on a terminal, because a user of this terminal has access to the data. The log never contains a
 * link, so the terminal of a container only gets the name of the command that prints one.
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
      writeStderrUnawaited(
        '\nOpen the console with a link that this command prints, in the container: animal-store console\n\n',
      );
      return;
    }
    const { url } = await makeConsoleLink(writer, config, origin);
    writeStderrUnawaited(`\nOpen the console: ${url} (signs in once, within five minutes)\n\n`);
  } catch (error) {
    // The console does not work at this address. Its page states the reason.
    if (error instanceof CliFailure) return;
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
