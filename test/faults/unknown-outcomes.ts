import { startBlackHole } from './black-hole.ts';
import { onPostgres, startServer } from './databases.ts';
import { linesOf } from './figures.ts';
import type { TestOptions, TestOutcome } from './long-test.ts';
import { addAnimal } from './requests.ts';

const roundsEveryDay = 40;
const roundsOnDemand = 1000;

/** Only a broken COMMIT has an unknown outcome. The service itself retries the other statements. */
const moments = [
  ['COMMIT\0', 'after'],
  ['COMMIT\0', 'before'],
  ['BEGIN', 'after'],
  ['round-', 'after'],
] as const;

/**
 * Adds animals one by one with an `Idempotency-Key` each, and breaks the connection to PostgreSQL at each step of the
 * transaction in turn, before or after the step is sent. Each request is repeated until it gets 201.
 */
export function runUnknownOutcomes({ long }: TestOptions): Promise<TestOutcome> {
  const rounds = long ? roundsOnDemand : roundsEveryDay;
  return onPostgres(async ({ postgres, url, sql }) => {
    await using hole = startBlackHole(postgres.port);
    await using server = await startServer(url.replace(`:${postgres.port}`, `:${hole.port}`));
    let unknown = 0;
    let replayed = 0;
    for (let round = 0; round < rounds; round += 1) {
      const [bytes, when] = moments[round % moments.length] ?? moments[0];
      hole.breakAt(bytes, when);
      const add = () =>
        addAnimal(server.origin, `Pet ${round}`, { 'idempotency-key': `round-${round}` });
      let answer = await add();
      while (answer.httpStatus !== 201) {
        if (answer.body?.code === 'outcome_unknown') unknown += 1;
        answer = await add();
      }
      if (answer.headers.has('idempotent-replayed')) replayed += 1;
    }
    const counts = await sql(
      'SELECT name, count(*)::int AS count FROM animal_store.pets GROUP BY name',
    );
    const twice = counts.filter(({ count }) => count !== 1).length;
    return {
      figures: [
        `${rounds} animals requested, ${counts.length} stored, ${twice} more than once`,
        `${unknown} outcomes unknown at first`,
        `${replayed} answered with the stored result`,
      ],
      broken: linesOf(
        counts.length !== rounds && `${counts.length} of ${rounds} animals are stored`,
        twice > 0 && `${twice} animals are stored more than once`,
      ),
    };
  });
}
