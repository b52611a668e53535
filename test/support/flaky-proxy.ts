import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A bad connection to a server: each request is delayed, and every few requests one is cut. */
interface FlakyProxy extends Disposable {
  readonly origin: string;
  readonly cutCount: number;
}

export async function startFlakyProxy(
  target: string,
  options: { delayMilliseconds: number; cutEvery: number },
): Promise<FlakyProxy> {
  let count = 0;
  let cutCount = 0;

  /** When a request is cut, if at all: half of them before they arrive, the others before the answer arrives. */
  function chooseCut(method: string, path: string): 'before' | 'after' | undefined {
    if (!path.startsWith('/console/v1/')) return undefined;
    // A link works once, and a key is shown once, so a user would see these losses.
    if (method === 'POST' && /\/v1\/(?:session|keys)/.test(path)) return undefined;
    count += 1;
    if (count % options.cutEvery !== 0) return undefined;
    cutCount += 1;
    return cutCount % 2 === 0 ? 'before' : 'after';
  }

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers, socket } = request;
    const body = await buffer(request);
    await Bun.sleep(options.delayMilliseconds);
    const cut = chooseCut(method, url);
    if (cut === 'before') return void socket.destroy();
    const leaving = new AbortController();
    response.on('close', () => leaving.abort());
    try {
      const answer = await fetch(target + url, {
        method,
        headers: headers as Record<string, string>,
        body: body.length === 0 ? null : new Uint8Array(body),
        redirect: 'manual',
        decompress: false,
        signal: leaving.signal,
      });
      if (cut === 'after') return void socket.destroy();
      response.writeHead(answer.status, [...answer.headers].flat());
      for await (const part of answer.body ?? []) response.write(part);
      response.end();
    } catch {
      socket.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get cutCount() {
      return cutCount;
    },
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
