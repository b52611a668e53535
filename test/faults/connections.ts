import type { Socket, TLSOptions } from 'bun';
import { authorization } from './requests.ts';

/** The answer to one request. */
export interface ConnectionAnswer {
  /** 0 if the connection ended without an answer. */
  readonly httpStatus: number;
  readonly hasRetryAfter: boolean;
  readonly body: string;
  readonly milliseconds: number;
}

/** Any number of clients. Each request has its own connection, an idle one or a new one. */
export interface Connections extends Disposable {
  /** Opens more connections, a few at a time, because the system delays large numbers of them by seconds. */
  grow(count: number): Promise<void>;
  /** Sends a request as text. Never rejects. */
  send(request: string): Promise<ConnectionAnswer>;
}

interface Client {
  text: string;
  answered: ((answer: string | undefined) => void) | undefined;
}

const connectedAtOnce = 100;

export function openConnections(port: number, tls?: TLSOptions): Connections {
  const idle: Socket<Client>[] = [];
  const all = new Set<Socket<Client>>();

  function end(socket: Socket<Client>): void {
    all.delete(socket);
    socket.data.answered?.(undefined);
    socket.data.answered = undefined;
  }

  async function connect(): Promise<Socket<Client>> {
    const secured = Promise.withResolvers<void>();
    const connected = await Bun.connect<Client>({
      hostname: '127.0.0.1',
      port,
      data: { text: '', answered: undefined },
      ...(tls === undefined ? {} : { tls }),
      socket: {
        open(socket) {
          all.add(socket);
          socket.setNoDelay();
        },
        data(socket, bytes) {
          const client = socket.data;
          client.text += bytes.toString('latin1');
          if (!isWhole(client.text)) return;
          const { text, answered } = client;
          client.text = '';
          client.answered = undefined;
          if (isLast(text)) socket.end();
          else idle.push(socket);
          answered?.(text);
        },
        handshake: () => secured.resolve(),
        close(socket) {
          end(socket);
          secured.resolve();
        },
        error: end,
      },
    });
    // Bun does not send what is written before the handshake.
    if (tls !== undefined) await secured.promise;
    return connected;
  }

  async function exchange(request: string): Promise<string | undefined> {
    // The connection that is idle for longest comes first, before the server closes it.
    let socket = idle.shift();
    while (socket !== undefined && !all.has(socket)) socket = idle.shift();
    const connected = socket ?? (await connect().catch(() => undefined));
    if (connected === undefined || !all.has(connected)) return undefined;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    connected.data.answered = resolve;
    connected.write(request);
    return await promise;
  }

  return {
    async grow(count) {
      for (let opened = 0; opened < count; opened += connectedAtOnce) {
        idle.push(...(await Promise.all(Array.from({ length: connectedAtOnce }, connect))));
      }
    },
    async send(request) {
      const startedAt = performance.now();
      const text = await exchange(request);
      return {
        httpStatus: Number(text?.slice(9, 12) ?? 0),
        hasRetryAfter: /\r\nretry-after: [0-9]/i.test(text ?? ''),
        body: text?.slice(text.indexOf('\r\n\r\n') + 4) ?? '',
        milliseconds: performance.now() - startedAt,
      };
    },
    [Symbol.dispose]() {
      for (const socket of all) socket.terminate();
    },
  };
}

/** Every answer in these tests has a Content-Length or no body. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: ([0-9]+)/i.exec(text.slice(0, headEnd))?.[1];
  return text.length >= headEnd + 4 + Number(length ?? 0);
}

/** Whether the server closes the connection after this answer. */
function isLast(text: string): boolean {
  return /\r\nconnection: close\r\n/i.test(text.slice(0, text.indexOf('\r\n\r\n') + 2));
}

/** The text of a request with the key of the tests. */
export function requestText(
  method: string,
  path: string,
  { content }: { readonly content?: object } = {},
): string {
  const body = content === undefined ? '' : JSON.stringify(content);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: animals.example',
    `Authorization: ${authorization.authorization}`,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
