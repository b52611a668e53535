// What pgbench does, for machines that have none: clients that insert rows one by one, each in a commit of its own.
// arguments: address of the database, clients, seconds

import { Client } from 'pg';

const [connectionString = '', clientCount, seconds] = process.argv.slice(2);

const insert = {
  name: 'insert',
  text: 'INSERT INTO inserted (workspace_id, name, category_id, status) VALUES (1, $1, $2, $3)',
  values: ['Fluffy', '7', 'available'],
};

const clients = Array.from({ length: Number(clientCount) }, () => new Client({ connectionString }));
await Promise.all(clients.map((client) => client.connect()));

const startedAt = performance.now();
const end = startedAt + Number(seconds) * 1000;
const counts = await Promise.all(clients.map(insertUntilEnd));
const inserts = counts.reduce((total, count) => total + count, 0);
const elapsedSeconds = (performance.now() - startedAt) / 1000;
// As pgbench says it.
process.stdout.write(`number of transactions actually processed: ${inserts}\n`);
process.stdout.write(`tps = ${inserts / elapsedSeconds}\n`);
await Promise.all(clients.map((client) => client.end()));

async function insertUntilEnd(client: Client): Promise<number> {
  let count = 0;
  while (performance.now() < end) {
    await client.query({ ...insert });
    count += 1;
  }
  return count;
}
