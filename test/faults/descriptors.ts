import { connect, type Socket } from 'node:net';
import { compareAnswers } from './compare-answers.ts';
import { onSqlite, type SqliteDatabase } from './databases.ts';
import { acknowledgedFigure, linesOf, overLimits, seconds } from './figures.ts';
import { startLoad } from './load.ts';
import type { LongTest, TestOutcome } from './long-test.ts';
import { run as runCommand } from './mounts.ts';
import { countOpenFiles } from './process-figures.ts';

const descriptorsMax = 100;
const connections = 300;
const recoveryMillisecondsMax = 2000;
/** Connections that the clients of this test keep open for a while, and a few files. */
const openFilesMoreMax = 30;

export const descriptors: LongTest = {
  name: 'open-files-limit',
  title: 'more connections than the server may open files',
  missing: () => (Bun.which('prlimit') === null ? 'needs prlimit (util-linux)' : undefined),
  run: () => onSqlite(run),
};

async function run(database: SqliteDatabase): Promise<TestOutcome> {
  await using server = await database.start();
  const openBefore = countOpenFiles(server.pid);
  const load = startLoad(server, 8, 2, 'Connected');
  await Bun.sleep(300);
  const limit = `--nofile=${descriptorsMax}:${descriptorsMax}`;
  runCommand('prlimit', '--pid', String(server.pid), limit);
  const port = Number(new URL(server.origin).port);
  const sockets: Socket[] = Array.from({ length: connections }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    return socket;
  });
  await Bun.sleep(1000);
  const countBefore = load.acknowledged.size;
  await Bun.sleep(1000);
  const served = load.acknowledged.size - countBefore;
  for (const socket of sockets) socket.destroy();
  const releasedAt = performance.now();
  const next = startLoad(server, 8, 2, 'New');
  const recovery = (await next.recovered(releasedAt)) - releasedAt;
  const [{ failed }] = await Promise.all([load.stop(), next.stop()]);
  const openMore = countOpenFiles(server.pid) - openBefore;
  await server.stop('SIGTERM');
  const wrong = compareAnswers([load, next], database.readAnimals());
  return {
    figures: [
      acknowledgedFigure([load, next], wrong),
      `${served} of them in a second of ${connections} idle connections at a limit of ${descriptorsMax}`,
      `new connections after ${seconds(recovery)}`,
    ],
    broken: [
      ...wrong,
      ...linesOf(
        failed > 0 && `${failed} requests of connected clients failed`,
        served === 0 && 'no connected client was answered',
        openMore > openFilesMoreMax && `${openMore} more files stayed open`,
      ),
    ],
    late: overLimits(['recovery took', recovery, recoveryMillisecondsMax]),
  };
}
