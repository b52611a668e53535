// Adds animals, reads the first list after each, and prints the medians of the times. It writes prepared bytes to a socket, because
// the work of `fetch` would be a part of both times and bring their ratio nearer to 1.

import { drawnIds } from './rows.ts';
import { median } from './statistics.ts';
import { animalStoreDialect as dialect } from './subject.ts';
import { newPetBody } from './wrk.ts';

export interface FirstListMedians {
  readonly listMicroseconds: number;
  /** Without a commit before it. */
  readonly pageMicroseconds: number;
  readonly pageAfterCommitMicroseconds: number;
}

const [origin = '', authorization = '', seconds = ''] = process.argv.slice(2);
const { hostname, port, host } = new URL(origin);

function prepareRequest(method: string, path: string, body = ''): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: ${authorization}`];
  if (body !== '') head.push('Content-Type: application/json', `Content-Length: ${body.length}`);
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

interface Exchange {
  readonly httpStatus: string;
  readonly startedAt: number;
  readonly resolve: (microseconds: number) => void;
  readonly reject: (error: Error) => void;
}

/** One request at a time on one connection. */
async function openConnection() {
  let received: Buffer = Buffer.alloc(0);
  let exchange: Exchange | undefined;
  const fail = (reason: string) => exchange?.reject(new Error(reason));
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_socket, chunk) {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        if (exchange === undefined || !isComplete(received)) return;
        const microseconds = (performance.now() - exchange.startedAt) * 1000;
        const httpStatus = received.toString('latin1', 'HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
        if (httpStatus === exchange.httpStatus) exchange.resolve(microseconds);
        else fail(`it answered ${httpStatus} in place of ${exchange.httpStatus}: ${received}`);
        received = Buffer.alloc(0);
      },
      close: () => fail('the server closed the connection'),
      error: (_socket, { message }) => fail(message),
    },
  });
  /** Returns the time until the last byte of the answer. */
  return (request: Buffer, httpStatus: string): Promise<number> =>
    new Promise((resolve, reject) => {
      exchange = { httpStatus, startedAt: performance.now(), resolve, reject };
      socket.write(request);
    });
}

function isComplete(answer: Buffer): boolean {
  const headBytes = answer.indexOf('\r\n\r\n') + 4;
  if (headBytes < 4) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(answer.toString('latin1', 0, headBytes));
  if (length === null) throw new Error('An answer has no Content-Length');
  return answer.length >= headBytes + Number(length[1]);
}

const send = await openConnection();
const add = prepareRequest('POST', dialect.collection, newPetBody);
const list = prepareRequest('GET', dialect.list());
const pages = drawnIds.map((id) => prepareRequest('GET', dialect.listBelow(Math.floor(id))));

const drawPage = () => pages[Math.floor(Math.random() * pages.length)] ?? list;
const lists: number[] = [];
const drawn: number[] = [];
const afterCommit: number[] = [];
const endsAt = performance.now() + Number(seconds) * 1000;
while (performance.now() < endsAt) {
  await send(add, '201');
  lists.push(await send(list, '200'));
  drawn.push(await send(drawPage(), '200'));
  await send(add, '201');
  afterCommit.push(await send(drawPage(), '200'));
}
const medians: FirstListMedians = {
  listMicroseconds: median(lists),
  pageMicroseconds: median(drawn),
  pageAfterCommitMicroseconds: median(afterCommit),
};
console.log(JSON.stringify(medians));
process.exit();
