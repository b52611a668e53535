import { connect, type Socket } from 'node:net';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { run as runCommand } from './mounts.ts';
import { countAcknowledged, reckon, seconds } from './reckoning.ts';
import { loadOf, sqliteStoreIn } from './sqlite-rig.ts';

const descriptorsMax = 100;
const connections = 300;
const recoveryMillisecondsMax = 2000;

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
  const store = sqliteStoreIn(folder.path);
  await using server = await store.start();
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
  await Promise.all([load.stop(), next.stop()]);
  await server.stop('SIGTERM');
  const broken = reckon([load, next], store.readAnimals());
  if (served === 0) broken.push('nobody was served meanwhile');
  if (recovery > recoveryMillisecondsMax) broken.push(`recovery took ${seconds(recovery)}`);
  return {
    figures: [
      `${countAcknowledged([load, next])} acknowledged, ${served} of them in a second of ${connections} idle connections at a limit of ${descriptorsMax}`,
      `new connections after ${seconds(recovery)}`,
    ],
    broken,
  };
}
