import { createConnection, createServer, type Socket } from 'node:net';

/** A network between a server and PostgreSQL that can become silent without closing its connections. */
interface BlackHole extends AsyncDisposable {
  readonly port: number;
  /** While it swallows, nothing passes in either direction. New connections are accepted and get no answer. */
  swallow(on: boolean): void;
  /** Breaks the connection on which the service sends these bytes, before or after they pass, at the given occurrence. */
  breakAt(bytes: string, when: 'before' | 'after', times?: number): void;
  /** Whether the break of `breakAt` has not happened yet. */
  readonly isArmed: boolean;
  /** Returns a function that counts how often the service sent these bytes since this call. */
  watch(bytes: string): () => number;
}

export function startBlackHole(targetPort: number): BlackHole {
  let swallowing = false;
  const watched = new Map<string, number>();
  let breaking: { bytes: string; when: 'before' | 'after'; times: number } | undefined;
  const sockets = new Set<Socket>();
  /** Half-closed connections to PostgreSQL. Their answers are read and dropped. */
  const ending = new Set<Socket>();

  function join(from: Socket, to: Socket): void {
    from.on('data', (chunk) => {
      if (!swallowing && to.writable) to.write(chunk);
    });
    from.on('close', () => {
      sockets.delete(from);
      // The close of a connection does not pass either.
      if (!swallowing && !ending.has(to)) to.destroy();
    });
    from.on('error', () => {});
    sockets.add(from);
  }

  const listener = createServer((near) => {
    const far = createConnection(targetPort, '127.0.0.1');
    near.prependListener('data', (chunk: Buffer) => {
      for (const [bytes, count] of watched) {
        if (chunk.includes(bytes)) watched.set(bytes, count + 1);
      }
      if (breaking === undefined || !chunk.includes(breaking.bytes)) return;
      breaking.times -= 1;
      if (breaking.times > 0) return;
      if (breaking.when === 'after') {
        // PostgreSQL executes everything that it received before it sees the end of the connection.
        ending.add(far);
        far.end(chunk);
      } else {
        far.destroy();
      }
      breaking = undefined;
      near.destroy();
    });
    join(near, far);
    join(far, near);
  });
  listener.listen(0, '127.0.0.1');
  const address = listener.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    swallow(on) {
      swallowing = on;
      // The bytes of the silence are lost, so the connections cannot be used again.
      if (!on) for (const socket of sockets) socket.destroy();
    },
    get isArmed() {
      return breaking !== undefined;
    },
    watch(bytes) {
      watched.set(bytes, 0);
      return () => watched.get(bytes) ?? 0;
    },
    breakAt(bytes, when, times = 1) {
      breaking = { bytes, when, times };
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      listener.close();
    },
  };
}
