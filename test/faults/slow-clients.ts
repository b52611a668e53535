import { connect } from 'node:net';
import { compareAnswers } from './compare-answers.ts';
import { onSqlite, type SqliteDatabase } from './databases.ts';
import { acknowledgedFigure, linesOf, overLimits, seconds } from './figures.ts';
import { startLoad } from './load.ts';
import type { LongTest, TestOutcome } from './long-test.ts';
import { authorization } from './requests.ts';

const connectionsOfEachKind = 100;
const answerMillisecondsMax = 1000;
/** The server's own limit is 10 s, checked every few seconds. */
const closedMillisecondsMax = 16_000;
const trickleMilliseconds = 500;

const head = `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization.authorization}\r\n`;
const body = `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":`;

interface Kind {
  readonly opening: string;
  /** Sent again and again. */
  readonly trickle?: string;
  /** A part of the expected answer. */
  readonly answer?: string;
}

const answer = 'The body was incomplete after 10 s';

/** Clients that stop within a request, or send it too slowly. */
const kinds: readonly Kind[] = [
  { opening: '' },
  { opening: head },
  { opening: `${head}X: `, trickle: 'x' },
  { opening: body, answer },
  { opening: body, trickle: ' ', answer },
];

export const slowClients: LongTest = {
  name: 'slow-clients',
  title:
    'connections that stop before a request, within its head or within its body, or send it a byte at a time',
  isPatient: true,
  run: () => onSqlite(run),
};

async function run(database: SqliteDatabase): Promise<TestOutcome> {
  await using server = await database.start();
  const port = Number(new URL(server.origin).port);
  const startedAt = performance.now();
  const slow = kinds.flatMap((kind) =>
    Array.from({ length: connectionsOfEachKind }, () => openSlowly(port, kind)),
  );
  const load = startLoad(server, 8, 2, 'Beside');
  const timeout = Bun.sleep(closedMillisecondsMax).then(() => undefined);
  const ends = await Promise.race([Promise.all(slow.map(({ received }) => received)), timeout]);
  const closedAfter = performance.now() - startedAt;
  const { failed, longestMilliseconds } = await load.stop();
  for (const { socket } of slow) socket.destroy();
  await server.stop('SIGTERM');
  const wrong = compareAnswers([load], database.readAnimals());
  const unanswered = slow.filter(
    ({ kind }, index) => kind.answer && ends?.[index]?.includes(kind.answer) === false,
  ).length;
  return {
    figures: [
      `${slow.length} connections, all closed after ${seconds(closedAfter)}`,
      acknowledgedFigure([load], wrong, ' at the same time'),
      `longest answer ${seconds(longestMilliseconds)}`,
    ],
    broken: [
      ...wrong,
      ...linesOf(
        unanswered > 0 && `${unanswered} were closed without an answer`,
        failed > 0 && `${failed} requests of other clients failed`,
      ),
    ],
    late: [
      ...overLimits(['an answer took', longestMilliseconds, answerMillisecondsMax]),
      ...linesOf(ends === undefined && `some were open after ${seconds(closedAfter)}`),
    ],
  };
}

/** Opens a connection. `received` has everything that came until the server closed it. */
function openSlowly(port: number, kind: Kind) {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(kind.opening));
  const { trickle } = kind;
  const timer = trickle && setInterval(() => socket.write(trickle), trickleMilliseconds);
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.on('close', () => {
    if (timer) clearInterval(timer);
    resolve(text);
  });
  return { kind, socket, received: promise };
}
