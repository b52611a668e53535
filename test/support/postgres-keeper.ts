// Runs a PostgreSQL server until its standard input is closed. So the server ends with the test run,
// even if that is killed.

import { startPostgresServer } from './postgres-server.ts';

const server = await startPostgresServer();
process.stdout.write(`${server.url}\n`);
for await (const _ of Bun.stdin.stream()) {
  // The input has no data. Only its end matters.
}
await server[Symbol.asyncDispose]();
process.exit(0);
