import type { PostgresResult } from '../result.ts';
import { formatNumber } from './format.ts';
import { enginesTable, severalServersTable, singleInsertsTable } from './postgres-tables.ts';
import { findMeasurement, medianOf } from './rounds.ts';
import { toMarkdown } from './table.ts';

/** The section about PostgreSQL in the document of a run. */
export function postgresSection(result: PostgresResult): string {
  const { version, create, singleInserts } = result;
  const aloneMilliseconds = (engine: string) => {
    const rounds = findMeasurement(create, engine, 1)?.rounds ?? [];
    return formatNumber(medianOf(rounds, 'latencyP50Microseconds') / 1000);
  };
  return `## PostgreSQL

The same server on PostgreSQL ${version}, which npm brings, and on SQLite, in turns. PostgreSQL has its own settings as they
come, with \`fsync\` and \`synchronous_commit\` on, its data on the same disk, and the load's core: our server keeps its
core to itself. *CPU* is that of our server alone; PostgreSQL's, for each request, stands beside it. The list is a
cached page in both: PostgreSQL is asked at least every 500 ms whether it still holds.

${toMarkdown(enginesTable(result))}

One lone POST takes ${aloneMilliseconds('PostgreSQL')} ms on PostgreSQL and ${aloneMilliseconds('SQLite')} ms on SQLite (p50, one connection).

What the same PostgreSQL takes without our server, in the same turns: ${singleInserts.program}, on our server's core, inserts rows
with prepared statements, each in a commit of its own, into a table of the same shape as the animals', with ids from a
sequence.

${toMarkdown(singleInsertsTable(result))}

Three servers share one database, and one has another to itself; all four run throughout. There is one core for servers
here, and each of the three is to have one, as it would on a machine of its own: so each is under load after the
other, and *requests per core* are the requests of all three, divided by the CPU time of all three, over the same of the
one alone. *At once*, each under a load of its own, they take that core from each other, which costs by itself, whatever
they share.

${toMarkdown(severalServersTable(result))}`;
}
