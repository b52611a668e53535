import { administer } from '../support/postgres.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startServerProcess } from '../support/server-process.ts';
import { startBlackHole } from './black-hole.ts';
import type { FaultOptions, FaultOutcome } from './fault.ts';

const apiKey = 'key-of-the-fault-runs-0001';
const roundsEveryDay = 200;
const roundsOnDemand = 1000;

/** The commit is where the outcome is open; the rest is tried again by the service itself. */
const moments = [
  ['COMMIT', 'after'],
  ['COMMIT', 'before'],
  ['BEGIN', 'after'],
  ['round-', 'after'],
] as const;

/**
 * Adds animals one by one with an `Idempotency-Key` each, and breaks the connection to PostgreSQL at each step
 * of the transaction in turn, before or after the step is sent. Whoever gets no 201 asks again until it comes.
 */
export async function runUnknownOutcomes({ long }: FaultOptions): Promise<FaultOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  await using postgres = await startPostgresServer();
  await using hole = startBlackHole(postgres.port);
  const url = postgres.url.replace(`:${postgres.port}`, `:${hole.port}`);
  await using server = await startServerProcess(`${url}/postgres`, {
    env: { ANIMAL_STORE_API_KEY: apiKey },
  });
  let unknown = 0;
  let replayed = 0;

  async function post(round: number): Promise<Response> {
    return await fetch(`${server.origin}/v1/pets`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': `round-${round}`,
      },
      body: JSON.stringify({ name: `Pet ${round}`, categoryId: 1 }),
    });
  }

  for (let round = 0; round < rounds; round += 1) {
    const [bytes, when] = moments[round % moments.length] ?? moments[0];
    hole.breakAt(bytes, when);
    let response = await post(round);
    while (response.status !== 201) {
      const { code } = (await response.json()) as { code: string };
      if (code === 'outcome_unknown') unknown += 1;
      response = await post(round);
    }
    if (response.headers.has('idempotent-replayed')) replayed += 1;
  }

  const counts = await administer(
    postgres.url,
    'SELECT name, count(*)::int AS count FROM animal_store.pets GROUP BY name',
  );
  const twice = counts.filter(({ count }) => count !== 1);
  const broken = [
    counts.length !== rounds && `${counts.length} of ${rounds} animals are stored`,
    twice.length > 0 && `${twice.length} animals are stored more than once`,
  ].filter((line) => line !== false);
  return {
    figures: [
      `${rounds} animals asked for, ${counts.length} stored, ${twice.length} more than once`,
      `${unknown} outcomes unknown at first`,
      `${replayed} answered from what was stored`,
    ],
    broken,
  };
}
