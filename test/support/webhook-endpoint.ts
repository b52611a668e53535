import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import type { AttemptResult } from '../../src/domain/webhook.ts';
import { type AllowedTargets, parseAllowedTargets } from '../../src/domain/webhook-target.ts';
import { createSend, type SendOptions } from '../../src/webhooks/send.ts';
import { createJudgeTarget, type Resolve, type TargetRules } from '../../src/webhooks/target.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
export const event = { eventId: 'evt_7_AAAAAAAA', body: '{"id":"evt_7_AAAAAAAA","name":"Zoë"}' };

/** Called when the head of a request has arrived, or at once with `atOnce`. */
type OnRequest = (socket: Socket, request: string) => void;

interface EndpointOptions {
  readonly hostname?: string;
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Calls `onRequest` when a connection is made. */
  readonly atOnce?: boolean;
}

/** A server of raw sockets, which counts its connections. */
export async function openEndpoint(onRequest: OnRequest, options: EndpointOptions = {}) {
  const { hostname = '127.0.0.1', port = 0, tls, atOnce = false } = options;
  const sockets = new Set<Socket>();
  let connections = 0;
  let bytesSent = 0;

  function greet(socket: Socket): void {
    let text = '';
    const read = (bytes: Buffer) => {
      text += bytes.toString();
      if (!text.includes('\r\n\r\n') || !text.endsWith('}')) return;
      socket.off('data', read);
      onRequest(socket, text);
    };
    socket.on('error', () => {}).on('close', () => (bytesSent += socket.bytesWritten));
    if (atOnce) onRequest(socket.resume(), '');
    else socket.on('data', read);
  }

  const server = tls === undefined ? createServer(greet) : createTlsServer(tls, greet);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  const listening = Promise.withResolvers<void>();
  server.once('listening', listening.resolve).once('error', listening.reject);
  server.listen(port, hostname);
  await listening.promise;
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    /** What connections sent that are closed now. */
    get bytesSent() {
      return bytesSent;
    },
    /** Waits until the client has closed all connections. */
    async closed(): Promise<void> {
      while (sockets.size > 0) await new Promise((resolve) => setImmediate(resolve));
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends a response, and leaves the connection open. */
export function respond(head: string, body: string | Buffer = ''): OnRequest {
  const bytes = Buffer.from(body);
  return (socket) => {
    const lines = head.split('\n').map((line) => `${line}\r\n`);
    socket.write(
      Buffer.concat([
        Buffer.from(`${lines.join('')}Content-Length: ${bytes.length}\r\n\r\n`),
        bytes,
      ]),
    );
  };
}

/** Sends blocks as fast as the client reads them, until the client closes the connection or has read them all. */
export function flood(head: string, block: Buffer, bytes: number): OnRequest {
  return (socket) => {
    let rest = bytes;
    const send = () => {
      while (rest > 0 && !socket.destroyed) {
        rest -= block.length;
        if (!socket.write(block)) {
          socket.once('drain', send);
          return;
        }
      }
      socket.end();
    };
    socket.write(head);
    send();
  };
}

export function allow(...texts: readonly string[]): AllowedTargets[] {
  return texts.flatMap((text) => parseAllowedTargets(text) ?? []);
}

/** Resolves the names of a test without the network. */
export function resolveTo(...addresses: readonly string[]): Resolve {
  return () => Promise.resolve(addresses);
}

type AttemptOptions = Partial<SendOptions & TargetRules> & { readonly signal?: AbortSignal };

/** Makes one attempt, with the real limits unless the test has its own. */
export function attempt(url: string, options: AttemptOptions = {}): Promise<AttemptResult> {
  const { allowed = allow('127.0.0.0/8'), resolve = resolveTo('127.0.0.1'), ...rest } = options;
  const { signal = new AbortController().signal } = options;
  const send = createSend({
    judgeTarget: createJudgeTarget({ allowed, resolve, ...rest }),
    version: '1.1.0',
    now: Date.now,
    steadyNow: () => performance.now(),
    ...rest,
  });
  return send({ url, secrets: [secret], ...event }, signal);
}

/** Removes the duration, which differs each time. */
export async function outcomeOf(result: Promise<AttemptResult>) {
  const { milliseconds, ...outcome } = await result;
  if (!Number.isInteger(milliseconds) || milliseconds < 0) throw new Error(`${milliseconds} ms`);
  return outcome;
}

/** Makes attempts in a process with these variables. */
export async function attemptInProcess(
  urls: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<unknown> {
  const script = join(import.meta.dir, 'attempt-in-process.ts');
  const child = Bun.spawn([process.execPath, script, ...urls], {
    env: { ...process.env, ...variables },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(errors);
  return JSON.parse(output);
}

export type Certificate = ReturnType<typeof makeCertificate>;

/** A certificate for names such as `DNS:shop.example`, and that of the authority that issued it. */
export function makeCertificate(names: string, { days = 30 } = {}) {
  using folder = makeTemporaryFolder();
  const keyOptions = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  for (const command of [
    `req -x509 ${keyOptions} -days 30 -subj /CN=Test -keyout ca.key -out ca.crt`,
    `req ${keyOptions} -subj /CN=Endpoint -addext subjectAltName=${names} -keyout own.key -out own.csr`,
    `x509 -req -in own.csr -copy_extensions copy -CA ca.crt -CAkey ca.key -days ${days} -out own.crt`,
  ]) {
    const { success, stderr } = Bun.spawnSync(['openssl', ...command.split(' ')], {
      cwd: folder.path,
    });
    if (!success) throw new Error(stderr.toString());
  }
  const read = (name: string) => readFileSync(join(folder.path, name), 'utf8');
  return { key: read('own.key'), cert: read('own.crt'), authority: read('ca.crt') };
}
