import type { App } from '../http/app.ts';
import { type Server, startServer } from '../http/server.ts';
import { CommandFailure } from './command-line.ts';

/** Starts a server, or says in one line why its address cannot be had. */
export function listen(hostname: string, port: number, app: App): Server {
  try {
    return startServer({ hostname, port, app });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const reason =
      code === 'EADDRINUSE'
        ? 'the port is in use'
        : error instanceof Error
          ? error.message
          : String(error);
    throw new CommandFailure([`Cannot listen on ${hostname} port ${port}: ${reason}`]);
  }
}
