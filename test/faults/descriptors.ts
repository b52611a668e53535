import { connect, type Socket } from 'node:net';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers, countAcknowledged, seconds } from './compare-answers.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { run as runCommand } from './mounts.ts';
import { countOpenFiles } from './process-figures.ts';
import { loadOf, sqliteDataIn } from './sqlite-rig.ts';

const descriptorsMax = 100;
const connections = 300;
const recoveryMillisecondsMax = 2000;
/** Connections that our own clients keep open for a while, and a file or two. */
const openFilesMoreMax = 30;

export const descriptors: Fault = {
  name: 'descriptors',
  title: 'more connections than the server may have files open',
  promise:
    'The server goes on for those who are connected, and takes new connections within 2 s after the others have gone.',
  missing: () => (Bun.which('prlimit') === null ? 'needs prlimit (util-linux)' : undefined),
  run,
};

async function run(): Promise<FaultOutcome> {
  using folder = makeTemporaryFolder();
  const store = sqliteDataIn(folder.path);
  await using server = await store.start();
  const openBefore = countOpenFiles(server.pid);
  const load = loadOf(server, 8, 2, 'Connected');
  await Bun.sleep(300);
  runCommand(
    'prlimit',
    '--pid',
    String(server.pid),
    `--nofile=${descriptorsMax}:${descriptorsMax}`,
  );
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
  const next = loadOf(server, 8, 2, 'New');
  const recovery = (await next.recovered(releasedAt)) - releasedAt;
  const [report] = await Promise.all([load.stop(), next.stop()]);
  const openAfter = countOpenFiles(server.pid);
  await server.stop('SIGTERM');
  const broken = compareAnswers([load, next], store.readAnimals());
  const { 200: read = 0, 201: created = 0 } = report.statuses;
  const failed = report.requests - read - created;
  if (failed > 0) broken.push(`${failed} requests of those who were connected failed`);
  if (served === 0) broken.push('nobody was served meanwhile');
  if (openAfter > openBefore + openFilesMoreMax) {
    broken.push(`${openAfter - openBefore} files more stayed open`);
  }
  return {
    figures: [
      `${countAcknowledged([load, next])} acknowledged, ${served} of them in a second of ${connections} idle connections at a limit of ${descriptorsMax}`,
      `new connections after ${seconds(recovery)}`,
    ],
    broken,
    late: recovery > recoveryMillisecondsMax ? [`recovery took ${seconds(recovery)}`] : [],
  };
}
