import { lookup } from 'node:dns/promises';
import type { App } from '../http/app.ts';
import { type Server, startServer } from '../http/server.ts';
import { CommandFailure } from './command-line.ts';

/** Starts a server, or says in one line why its address cannot be had. */
export async function listen(hostname: string, port: number, app: App): Promise<Server> {
  try {
    // Bun says of a name that does not exist that a file does not.
    await lookup(hostname);
    return startServer({ hostname, port, app });
  } catch (error) {
    throw new CommandFailure([`Cannot listen on ${hostname} port ${port}: ${reasonOf(error)}`]);
  }
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine does not have the address',
  EACCES: 'this user may not use the port',
  ENOTFOUND: 'there is no host with that name',
};

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return reasons[code] ?? error.message;
}
