import { connect, type Socket } from 'node:net';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { countAcknowledged, reckon, seconds } from './reckoning.ts';
import { authorization, loadOf, sqliteStoreIn } from './sqlite-rig.ts';

const connectionsOfEachKind = 100;
const answerMillisecondsMax = 1000;
/** The server's own limit is 10 s, looked at every few seconds. */
const closedMillisecondsMax = 16_000;

const head = `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization.authorization}\r\n`;

/** How each stops half-way. */
const openings: readonly string[] = [
  '',
  head,
  `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`,
];

export const slowClients: Fault = {
  name: 'slow-clients',
  title: 'connections that stop before, within the head of, or within the body of a request',
  promise:
    'They hold up nobody else, whose requests are answered within 1 s, and are closed within 16 s of their last byte.',
  run,
};

async function run(): Promise<FaultOutcome> {
  using folder = makeTemporaryFolder();
  const store = sqliteStoreIn(folder.path);
  await using server = await store.start();
  const port = Number(new URL(server.origin).port);
  const startedAt = performance.now();
  const closings = openings.flatMap((text) =>
    Array.from({ length: connectionsOfEachKind }, () => openHalfWay(port, text)),
  );
  const load = loadOf(server, 8, 2, 'Beside');
  const patience = Bun.sleep(closedMillisecondsMax).then(() => 'patience');
  const closed = await Promise.race([Promise.all(closings.map(({ closed }) => closed)), patience]);
  const closedAfter = performance.now() - startedAt;
  const report = await load.stop();
  for (const { socket } of closings) socket.destroy();
  await server.stop('SIGTERM');
  const broken = reckon([load], store.readAnimals());
  const failed = report.requests - (report.statuses[200] ?? 0) - (report.statuses[201] ?? 0);
  const late: string[] = [];
  if (closed === 'patience') late.push(`some were open after ${seconds(closedAfter)}`);
  if (failed > 0) broken.push(`${failed} requests of others failed`);
  if (report.longestMilliseconds > answerMillisecondsMax) {
    late.push(`an answer took ${seconds(report.longestMilliseconds)}`);
  }
  return {
    figures: [
      `${closings.length} connections, all closed after ${seconds(closedAfter)}`,
      `${countAcknowledged([load])} acknowledged meanwhile`,
      `longest answer ${seconds(report.longestMilliseconds)}`,
    ],
    broken,
    late,
  };
}

function openHalfWay(port: number, text: string): { socket: Socket; closed: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  socket.on('error', () => {});
  socket.on('data', () => {});
  socket.on('close', () => resolve());
  return { socket, closed: promise };
}
