import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';

export interface StalledReader extends Disposable {
  readonly path: string;
  /** Fills the pipe. */
  fill(): void;
  /** Reads the present contents of the pipe. */
  read(): string;
}

/** A named pipe at `path`. Its reader reads only when it is called. */
export function openStalledReader(path: string): StalledReader {
  Bun.spawnSync(['mkfifo', path]);
  // Opened for both directions, so that opening does not wait for the other end.
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const bytes = new Uint8Array(2 ** 16);
  const decoder = new TextDecoder();

  function fillOrEmpty(transfer: () => number, done: (count: number) => void): void {
    try {
      for (;;) done(transfer());
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }

  return {
    path,
    fill: () =>
      fillOrEmpty(
        () => writeSync(descriptor, bytes.fill(0x2e)),
        () => {},
      ),
    read() {
      let text = '';
      fillOrEmpty(
        () => readSync(descriptor, bytes),
        (count) => {
          text += decoder.decode(bytes.subarray(0, count), { stream: true });
        },
      );
      return text;
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
