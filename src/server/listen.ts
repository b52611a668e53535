import { lookup } from 'node:dns/promises';
import type { App } from '../http/app.ts';
import { errorAnswer, fail } from '../http/failure.ts';
import { makeResponse } from '../http/response-policy.ts';
import { type Server, startServer } from '../http/server.ts';
import { flagName } from '../ops/config.ts';
import { CliFailure } from '../terminal/cli-failure.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The flag that sets the port; `--port` by default. */
  readonly portFlag?: string | undefined;
  /** The variable that has the host, if no flag has it. Other programs set it too. */
  readonly hostVariable?: string | undefined;
}

/** Starts a server. Throws CliFailure with one line if it cannot have its address. */
export async function listen(
  { host: hostname, port, portFlag = '--port', hostVariable }: ListenAddress,
  app: App,
  keepAliveSeconds?: number,
): Promise<Server> {
  try {
    // For a name that does not exist, the error of Bun would name a missing file.
    await lookup(hostname);
    return startServer({ hostname, port, app, ...(keepAliveSeconds && { keepAliveSeconds }) });
  } catch (error) {
    const from =
      hostVariable === undefined
        ? ''
        : `, which the variable ${hostVariable} names (--host overrules it),`;
    throw new CliFailure(
      `Cannot listen on ${hostname}${from} port ${port}: ${reasonOf(error, portFlag)}`,
    );
  }
}

/**
 * Checks that a server could listen on all of these addresses at once, so that a server which cannot start changes no data. They
 * are not kept until the data is open: during a migration, load balancers would send requests that other servers can answer.
 * @throws CliFailure with one line for the operator.
 */
export async function checkAddresses(addresses: readonly ListenAddress[]): Promise<void> {
  await using listening = new AsyncDisposableStack();
  for (const address of addresses) listening.use(await listen(address, answerStarting));
}

function answerStarting(): Response {
  return makeResponse(
    errorAnswer(
      fail('unavailable', 'The service is starting; retry later', { 'retry-after': '1' }),
    ),
  );
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use; stop the program that uses it, or choose another one with PORT',
  EADDRNOTAVAIL: 'this machine does not have the address; choose one of its addresses',
  EACCES: 'this user may not use the port; choose a port from 1024 up',
  ENOTFOUND: 'no host has that name; choose a name or an address of this machine',
};

function reasonOf(error: unknown, portFlag: string): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return reasons[code]?.replace('PORT', flagName(portFlag)) ?? error.message;
}
