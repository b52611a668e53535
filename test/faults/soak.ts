import { readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Fault, FaultOptions, FaultOutcome } from './fault.ts';
import { countAcknowledged, reckon, seconds } from './reckoning.ts';
import { loadOf, sqliteStoreIn } from './sqlite-rig.ts';

const secondsEveryDay = 600;
const secondsOnDemand = 7200;
const samples = 40;

/** Of what is resident, between the second quarter and the last: noise is a few percent. */
const growthMax = 1.15;
const walBytesMax = 64 * 2 ** 20;

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
  const store = sqliteStoreIn(folder.path);
  await using server = await store.start();
  const port = Number(new URL(server.origin).port);
  const load = loadOf(server, 4, 8, 'Soak');
  const resident: number[] = [];
  let walBytes = 0;
  for (let sample = 0; sample < samples; sample += 1) {
    await Bun.sleep(duration / samples);
    for (let count = 0; count < 10; count += 1) breakOff(port);
    resident.push(residentBytes(server.pid));
    walBytes = Math.max(walBytes, statSync(`${store.path}-wal`).size);
  }
  const report = await load.stop();
  await server.stop('SIGTERM');
  const quarter = samples / 4;
  const early = mean(resident.slice(quarter, 2 * quarter));
  const late = mean(resident.slice(3 * quarter));
  const broken = reckon([load], store.readAnimals());
  if (late > early * growthMax)
    broken.push(`memory grew from ${megabytes(early)} to ${megabytes(late)}`);
  if (walBytes > walBytesMax) broken.push(`the log grew to ${megabytes(walBytes)}`);
  return {
    figures: [
      `${seconds(duration)}, ${report.requests} requests, ${countAcknowledged([load])} acknowledged, ${broken.length === 0 ? 'none lost' : broken.join(', ')}`,
      `memory ${megabytes(early)}, then ${megabytes(late)}`,
      `log at most ${megabytes(walBytes)}`,
    ],
    broken,
  };
}

/** A client that goes away in the middle of what it says. */
function breakOff(port: number): void {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(
      'POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"na',
      () => socket.resetAndDestroy(),
    );
  });
  socket.on('error', () => {});
}

function residentBytes(pid: number): number {
  const match = /^VmRSS:\s+([0-9]+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) * 1024;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
