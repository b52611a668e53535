import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers, countAcknowledged, seconds } from './compare-answers.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { countOpenFiles, residentBytes } from './process-figures.ts';
import { authorization, loadOf, sqliteDataIn } from './sqlite-rig.ts';

const secondsEveryDay = 600;
const secondsOnDemand = 7200;
const samples = 40;
const millisecondsBetweenBreaks = 100;
const breaksAtOnce = 10;

/** Of what is resident, between the second quarter and the last: noise is a few percent. */
const growthMax = 1.15;
const walBytesMax = 64 * 2 ** 20;
/** Our own clients come and go a little. */
const openFilesMoreMax = 30;

export const soak: Fault = {
  name: 'soak',
  title: 'reads and writes for a long time, with connections that break off',
  promise:
    'Memory stays flat, the write-ahead log stays below 64 MiB, and nothing acknowledged is lost.',
  run,
};

async function run({ long }: FaultOptions): Promise<FaultOutcome> {
  const duration = (long ? secondsOnDemand : secondsEveryDay) * 1000;
  using folder = makeTemporaryFolder();
  const store = sqliteDataIn(folder.path);
  await using server = await store.start();
  const port = Number(new URL(server.origin).port);
  const load = loadOf(server, 4, 8, 'Soak');
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
    walBytes = Math.max(walBytes, statSync(`${store.path}-wal`).size);
  }
  clearInterval(breaking);
  const report = await load.stop();
  await server.stop('SIGTERM');
  const quarter = samples / 4;
  const ofSecondQuarter = (values: readonly number[]) => mean(values.slice(quarter, 2 * quarter));
  const ofLastQuarter = (values: readonly number[]) => mean(values.slice(3 * quarter));
  const early = ofSecondQuarter(resident);
  const late = ofLastQuarter(resident);
  const openFilesMore = ofLastQuarter(openFiles) - ofSecondQuarter(openFiles);
  const broken = compareAnswers([load], store.readAnimals());
  if (late > early * growthMax)
    broken.push(`memory grew from ${megabytes(early)} to ${megabytes(late)}`);
  if (walBytes > walBytesMax) broken.push(`the log grew to ${megabytes(walBytes)}`);
  if (openFilesMore > openFilesMoreMax) {
    broken.push(`${openFilesMore.toFixed(0)} more files stay open`);
  }
  return {
    figures: [
      `${seconds(duration)}, ${report.requests} requests, ${countAcknowledged([load])} acknowledged, ${broken.length === 0 ? 'none lost' : broken.join(', ')}`,
      `memory ${megabytes(early)}, then ${megabytes(late)}`,
      `log at most ${megabytes(walBytes)}`,
    ],
    broken,
  };
}

/** With a key, since without one nobody would read the body. */
const cutRequest =
  `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization.authorization}\r\n` +
  'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na';

/** A client that goes away in the middle of what it says. */
function breakOff(port: number): void {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(cutRequest, () => socket.resetAndDestroy());
  });
  socket.on('error', () => {});
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
