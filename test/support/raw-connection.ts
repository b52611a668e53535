import type { TLSOptions } from 'bun';

/** A connection to a port of this machine that sends text unchanged, one byte for each character. */
export async function connect(port: number, tls?: TLSOptions) {
  let text = '';
  let closed = false;
  let drained = Promise.withResolvers<void>();
  const received = Promise.withResolvers<string>();
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    ...(tls === undefined ? {} : { tls }),
    socket: {
      data(_socket, bytes) {
        text += bytes.toString('latin1');
      },
      drain() {
        drained.resolve();
        drained = Promise.withResolvers();
      },
      close() {
        closed = true;
        drained.resolve();
        received.resolve(text);
      },
    },
  });
  socket.setNoDelay();
  return {
    /** All received bytes until the server closed the connection, one character for each. */
    received: received.promise,
    terminate: () => socket.terminate(),
    async send(pieces: readonly string[]) {
      for (const piece of pieces) {
        let rest = Buffer.from(piece, 'latin1');
        while (rest.length > 0 && !closed) {
          const written = socket.write(rest);
          rest = rest.subarray(Math.max(written, 0));
          if (rest.length > 0) await drained.promise;
        }
        // If the server runs in this process, it reads the sent data now.
        await nextTurn();
      }
    },
  };
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
