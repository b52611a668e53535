import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { compareAnswers } from './compare-answers.ts';
import { onSqlite, type SqliteDatabase } from './databases.ts';
import { acknowledgedFigure, linesOf, seconds } from './figures.ts';
import { startLoad } from './load.ts';
import type { LongTest, TestOptions, TestOutcome } from './long-test.ts';
import { countOpenFiles, residentBytes } from './process-figures.ts';
import { authorization } from './requests.ts';

const secondsEveryDay = 60;
const secondsOnDemand = 600;
const samples = 400;
const millisecondsBetweenBreaks = 100;
const breaksAtOnce = 10;

/**
 * The largest growth of the lowest memory between the third quarter and the last. The mean depends on the times of garbage
 * collections. The noise is a few percent. In two million requests, a leak of 100 bytes each makes it 1.25.
 */
const growthMax = 1.15;
const walBytesMax = 64 * 2 ** 20;
/** The number of open connections of the clients varies a little. */
const openFilesMoreMax = 30;

export const soak: LongTest = {
  name: 'soak',
  title: 'reads and writes for a long time, with clients that break their connections',
  run: (options) => onSqlite((database) => run(options, database)),
};

async function run({ long }: TestOptions, database: SqliteDatabase): Promise<TestOutcome> {
  const duration = (long ? secondsOnDemand : secondsEveryDay) * 1000;
  await using server = await database.start();
  const port = Number(new URL(server.origin).port);
  const load = startLoad(server, 4, 8, 'Soak');
  const breaking = setInterval(() => {
    for (let count = 0; count < breaksAtOnce; count += 1) breakOff(port);
  }, millisecondsBetweenBreaks);
  const resident: number[] = [];
  const openFiles: number[] = [];
  let walBytes = 0;
  for (let sample = 0; sample < samples; sample += 1) {
    await Bun.sleep(duration / samples);
    resident.push(residentBytes(server.pid));
    openFiles.push(countOpenFiles(server.pid));
    walBytes = Math.max(walBytes, statSync(`${database.path}-wal`).size);
  }
  clearInterval(breaking);
  const { requests } = await load.stop();
  await server.stop('SIGTERM');
  const [early, late] = [Math.min(...quarter(resident, 2)), Math.min(...quarter(resident, 3))];
  const openFilesMore = mean(quarter(openFiles, 3)) - mean(quarter(openFiles, 1));
  const broken = [
    ...compareAnswers([load], database.readAnimals()),
    ...linesOf(
      late > early * growthMax && `memory grew from ${megabytes(early)} to ${megabytes(late)}`,
      walBytes > walBytesMax && `the log grew to ${megabytes(walBytes)}`,
      openFilesMore > openFilesMoreMax && `${openFilesMore.toFixed(0)} more files stay open`,
    ),
  ];
  const acknowledged = acknowledgedFigure([load], broken);
  return {
    figures: [
      `${seconds(duration)}, ${requests} requests, ${acknowledged}`,
      `memory ${megabytes(early)}, then ${megabytes(late)}`,
      `log at most ${megabytes(walBytes)}`,
    ],
    broken,
  };
}

/** It has a valid key, because the server does not read the body of other requests. */
const cutRequest =
  `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization.authorization}\r\n` +
  'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na';

/** A client that resets its connection within the body of a request. */
function breakOff(port: number): void {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(cutRequest, () => socket.resetAndDestroy());
  });
  socket.on('error', () => {});
}

/** Quarters count from 0. */
function quarter(values: readonly number[], index: number): readonly number[] {
  return values.slice((index * samples) / 4, ((index + 1) * samples) / 4);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
