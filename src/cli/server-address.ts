import { reachable } from '../http/public-urls.ts';
import type { Config } from '../ops/config.ts';
import { misused } from '../terminal/cli-failure.ts';

/** The settings of a command that looks for a server of this machine. */
export const addressSettings = ['host', 'port'] as const;

export const addressDescriptions = {
  host: 'address that the server listens on',
  port: 'port that the server listens on',
};

/** The origin of the server that listens there. */
export function originOf({ host, port }: Config<(typeof addressSettings)[number]>): string {
  if (port === 0) throw misused('--port must be the port of the server, got 0');
  return reachable(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
}
