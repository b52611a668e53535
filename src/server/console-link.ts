import { linkMilliseconds } from '../domain/access/console.ts';
import type { CommandWriter } from '../domain/database/commands.ts';
import { newConsoleToken } from '../http/console/new-token.ts';
import { unprotectedFault } from '../http/console/same-origin.ts';
import { basePath, consoleUrlOf, type PublicUrls } from '../http/public-urls.ts';
import type { Config } from '../ops/config.ts';
import { CommandFailure } from '../terminal/command-line.ts';
import { noSuchWorkspace } from './no-such-workspace.ts';

export const publicUrlSettings = ['environment', 'baseUrl', 'stagingBaseUrl'] as const;

export type PublicUrlConfig = Config<(typeof publicUrlSettings)[number]>;

/** The public addresses that the settings tell. */
export function publicUrlsOf({
  baseUrl,
  stagingBaseUrl,
}: Pick<PublicUrlConfig, 'baseUrl' | 'stagingBaseUrl'>): PublicUrls {
  return {
    ...(baseUrl === undefined ? {} : { production: baseUrl }),
    ...(stagingBaseUrl === undefined ? {} : { staging: stagingBaseUrl }),
  };
}

export interface ConsoleLink {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/**
 * Makes a link that signs an owner in to the console, once. The secret stands after the `#`, which a browser sends to nobody.
 * Where no public address is known, it leads to `origin`.
 * @throws CommandFailure where whoever sits between could read the link.
 */
export async function makeConsoleLink(
  writer: CommandWriter,
  config: PublicUrlConfig,
  { origin, workspace }: { readonly origin: string; readonly workspace: string },
): Promise<ConsoleLink> {
  const baseUrl = checkConsole(config, origin);
  const { text, digest } = newConsoleToken();
  const now = Date.now();
  const expiresAt = now + linkMilliseconds;
  const link = { digest, workspaceName: workspace, now, expiresAt };
  const outcome = await writer.write('createConsoleLink', link);
  if ('refused' in outcome) throw noSuchWorkspace(workspace);
  return { url: `${consoleUrlOf(baseUrl)}#link=${text}`, expiresAt };
}

/**
 * The base URL of the console.
 * @throws CommandFailure if there is no console there.
 */
export function checkConsole(config: PublicUrlConfig, origin: string): string {
  const publicUrl = publicUrlsOf(config)[config.environment];
  const baseUrl = publicUrl ?? `${reachable(origin)}${basePath}`;
  const fault = unprotectedFault(baseUrl);
  if (fault !== undefined) throw new CommandFailure([fault]);
  return baseUrl;
}

/** A server that listens on every address of the machine is there under its own. */
function reachable(origin: string): string {
  return origin.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]');
}
