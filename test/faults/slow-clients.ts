import { connect, type Socket } from 'node:net';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { compareAnswers, countAcknowledged, seconds } from './compare-answers.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { authorization, loadOf, sqliteDataIn } from './sqlite-rig.ts';

const connectionsOfEachKind = 100;
const answerMillisecondsMax = 1000;
/** The server's own limit is 10 s, looked at every few seconds. */
const closedMillisecondsMax = 16_000;
const trickleMilliseconds = 500;

const head = `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization.authorization}\r\n`;
const body = `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`;

interface Kind {
  readonly opening: string;
  /** Sent again and again. */
  readonly trickle?: string;
  /** What an answer says, where there is one. */
  readonly told?: string;
}

const tooLate = 'The body was incomplete after 10 s';

/** How each stops half-way, or goes on too slowly. */
const kinds: readonly Kind[] = [
  { opening: '' },
  { opening: head },
  { opening: `${head}X: `, trickle: 'x' },
  { opening: body, told: tooLate },
  { opening: body, trickle: ' ', told: tooLate },
];

export const slowClients: Fault = {
  name: 'slow-clients',
  title:
    'connections that stop before, within the head of, or within the body of a request, or send it a byte at a time',
  promise:
    'They hold up nobody else, whose requests are answered within 1 s, and are closed within 16 s; where the body is late, they are told so first.',
  run,
};

async function run(): Promise<FaultOutcome> {
  using folder = makeTemporaryFolder();
  const store = sqliteDataIn(folder.path);
  await using server = await store.start();
  const port = Number(new URL(server.origin).port);
  const startedAt = performance.now();
  const slow = kinds.flatMap((kind) =>
    Array.from({ length: connectionsOfEachKind }, () => openSlowly(port, kind)),
  );
  const load = loadOf(server, 8, 2, 'Beside');
  const patience = Bun.sleep(closedMillisecondsMax).then(() => undefined);
  const ends = await Promise.race([Promise.all(slow.map(({ received }) => received)), patience]);
  const closedAfter = performance.now() - startedAt;
  const report = await load.stop();
  for (const { socket } of slow) socket.destroy();
  await server.stop('SIGTERM');
  const broken = compareAnswers([load], store.readAnimals());
  const failed = report.requests - (report.statuses[200] ?? 0) - (report.statuses[201] ?? 0);
  const untold = slow.filter(
    ({ kind: { told } }, index) => told !== undefined && ends?.[index]?.includes(told) === false,
  );
  const late: string[] = [];
  if (ends === undefined) late.push(`some were open after ${seconds(closedAfter)}`);
  if (untold.length > 0) broken.push(`${untold.length} were closed without a word`);
  if (failed > 0) broken.push(`${failed} requests of others failed`);
  if (report.longestMilliseconds > answerMillisecondsMax) {
    late.push(`an answer took ${seconds(report.longestMilliseconds)}`);
  }
  return {
    figures: [
      `${slow.length} connections, all closed after ${seconds(closedAfter)}`,
      `${countAcknowledged([load])} acknowledged meanwhile`,
      `longest answer ${seconds(report.longestMilliseconds)}`,
    ],
    broken,
    late,
  };
}

interface SlowConnection {
  readonly kind: Kind;
  readonly socket: Socket;
  /** All that came until the server closed it. */
  readonly received: Promise<string>;
}

function openSlowly(port: number, kind: Kind): SlowConnection {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(kind.opening));
  const { trickle } = kind;
  const timer =
    trickle === undefined
      ? undefined
      : setInterval(() => socket.write(trickle), trickleMilliseconds);
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.on('close', () => {
    clearInterval(timer);
    resolve(text);
  });
  return { kind, socket, received: promise };
}
