import { findFreePort } from '../support/free-port.ts';
import { goldenVersions, loadGoldenData, readGoldenAnswers } from '../support/golden-data.ts';
import { makeNewerProgram, type NewerProgram } from '../support/newer-program.ts';
import { publishedNginxIsMissing, startNginxBeforeTwo } from '../support/published-nginx.ts';
import { runProgram } from '../support/server-process.ts';
import { type ClientReport, startClientLoad } from './client-load.ts';
import { onSqlite } from './databases.ts';
import type { LongTest, TestOutcome } from './long-test.ts';
import { onTwoServers, type TwoServers, withoutLimit } from './two-servers.ts';

export const rollingUpgrades: readonly LongTest[] = [
  {
    name: 'rolling-upgrade',
    title:
      'two servers behind nginx with data of 1.0.0 on PostgreSQL, replaced in turns by the next version as in docs/operations.md, once with a migration after which old servers cannot write',
    isPatient: true,
    missing: publishedNginxIsMissing,
    run: () => runBoth((newer) => replaceInTurns(newer)),
  },
  {
    name: 'restart-upgrade',
    title:
      'a server with data of 1.0.0 on SQLite, stopped and replaced by the next version, with the same two migrations',
    isPatient: true,
    run: () => runBoth(replaceServer),
  },
];

/** How long the load runs before, between and after the steps. */
const pauseMilliseconds = 700;
/** As in docs/operations.md. */
const takenOutMilliseconds = 1000;

const [version = ''] = goldenVersions;

/** With a migration after which old servers can write, and with one after which they cannot. */
async function runBoth(run: (newer: NewerProgram) => Promise<TestOutcome>): Promise<TestOutcome> {
  using newer = makeNewerProgram();
  const first = await run(newer);
  using newerForWriters = makeNewerProgram(true);
  const second = await run(newerForWriters);
  return {
    figures: [...first.figures, `if old servers cannot write: ${second.figures.join('; ')}`],
    broken: [...first.broken, ...second.broken],
  };
}

function replaceInTurns(newer: NewerProgram): Promise<TestOutcome> {
  const fill = (url: string) => loadGoldenData(version, 'postgres', url);
  return onTwoServers((servers) => replaceBoth(servers, newer), { fill });
}

async function replaceBoth(servers: TwoServers, newer: NewerProgram): Promise<TestOutcome> {
  const { database, ports, stop, start } = servers;
  await using nginx = await startNginxBeforeTwo(ports, withoutLimit);
  const load = startClientLoad({
    baseUrl: `https://127.0.0.1:${nginx.tlsPort}/v1`,
    apiKey: goldenKey('postgres'),
    certificate: nginx.certificate,
  });
  const replace = async (index: 0 | 1) => {
    await Bun.sleep(takenOutMilliseconds);
    await stop(index, 'SIGTERM');
    await start(index, newer.command);
  };
  await Bun.sleep(pauseMilliseconds);
  nginx.takeOut(0);
  await replace(0);
  nginx.takeOutInstead(1);
  await replace(1);
  nginx.bringBack(1);
  await Bun.sleep(pauseMilliseconds);
  return outcomeOf(await load.stop(), 'postgres', database.url, newer);
}

function replaceServer(newer: NewerProgram): Promise<TestOutcome> {
  return onSqlite(async ({ url, start }) => {
    await loadGoldenData(version, 'sqlite', url);
    const args = ['--port', String(findFreePort())];
    await using server = await start({ args });
    const baseUrl = `${server.origin}/v1`;
    const load = startClientLoad({ baseUrl, apiKey: goldenKey('sqlite') });
    await Bun.sleep(pauseMilliseconds);
    await server.stop('SIGTERM');
    await using _next = await start({ args, program: newer.command });
    await Bun.sleep(pauseMilliseconds);
    return outcomeOf(await load.stop(), 'sqlite', url, newer);
  });
}

/** The key that the golden data was made with. */
function goldenKey(engine: 'sqlite' | 'postgres'): string {
  const { callers } = readGoldenAnswers(version, engine);
  return callers.site?.authorization?.replace('Bearer ', '') ?? '';
}

async function outcomeOf(
  { figure, broken }: ClientReport,
  engine: 'sqlite' | 'postgres',
  url: string,
  newer: NewerProgram,
): Promise<TestOutcome> {
  const { auditDigest } = readGoldenAnswers(version, engine);
  const args = ['verify', '--audit-digest', auditDigest];
  const verified = await runProgram(args, { DATABASE_URL: url }, undefined, newer.command);
  const damage = verified.exitCode === 0 ? [] : [`${verified.stdout}${verified.stderr}`.trim()];
  return { figures: [figure], broken: [...broken, ...damage] };
}
