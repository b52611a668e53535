import type { Environment } from '../domain/access/api-key.ts';

/** The start of the path of every operation. */
export const basePath = '/v1';

/** Of the console, and before the paths of all that it calls. */
export const consolePath = '/console';

/** The public addresses that are known, each ending in `/v1`. */
export type PublicUrls = Readonly<Partial<Record<Environment, string>>>;

/** The address of the console, or of a workspace in it, from that of the operations beside it. */
export function consoleUrlOf(baseUrl: string, workspace?: string): string {
  const console = baseUrl.slice(0, -basePath.length) + consolePath;
  return workspace === undefined ? console : `${console}/w/${workspace}/`;
}

/** An address of this machine for a server that listens on all of them. */
export function reachable(origin: string): string {
  return origin.replace('//0.0.0.0', '//127.0.0.1').replace('//[::]', '//[::1]');
}

export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
