// Keeps a PostgreSQL server for as long as whoever started this holds its standard input open. So the server
// is gone when a test run is, however that ended.

import { startPostgresServer } from './postgres-server.ts';

const server = await startPostgresServer();
process.stdout.write(`${server.url}\n`);
for await (const _ of Bun.stdin.stream()) {
  // Nothing is ever said; only the end matters.
}
await server[Symbol.asyncDispose]();
process.exit(0);
