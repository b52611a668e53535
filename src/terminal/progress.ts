import { cleanUpOnSignal } from './clean-up.ts';

export interface Progress extends Disposable {
  add(count: number): void;
}

export interface CopyProgress extends Disposable {
  onBytes(bytes: number, totalBytes: number): void;
}

/** A bar on a terminal's standard error; nothing where nobody is looking. */
export async function startProgress(title: string, total: number): Promise<Progress> {
  const { bar, end } = await makeBar(
    `${title} {bar} {percentage}% {value}/{total} {eta_formatted}`,
  );
  bar.start(total, 0);
  return { add: (count) => bar.increment(count), [Symbol.dispose]: end };
}

/** Shows likewise how much of something was copied; how much there is, is told with the first bytes. */
export async function startCopyProgress(title: string): Promise<CopyProgress> {
  const { bar, end } = await makeBar(
    `${title} {bar} {percentage}% {value}/{total} MB {eta_formatted}`,
  );
  let copiedBytes = 0;
  return {
    onBytes(bytes, totalBytes) {
      if (copiedBytes === 0) bar.start(Math.ceil(totalBytes / 1e6), 0);
      copiedBytes += bytes;
      bar.update(Math.ceil(copiedBytes / 1e6));
    },
    [Symbol.dispose]: end,
  };
}

/** Shows likewise for how long something has been going on of which nobody can tell how far it is. */
export async function startWait(title: string): Promise<Disposable> {
  const { bar, end } = await makeBar(`${title} {duration_formatted}`);
  bar.start(1, 0);
  const timer = setInterval(() => bar.update(0), 1000);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      end();
    },
  };
}

async function makeBar(format: string) {
  // Most commands, and the server, have nothing to show: it is loaded only here.
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    format,
    stream: process.stderr,
    // Turns itself off where the stream is no terminal.
    noTTYOutput: false,
    hideCursor: true,
    // By itself it would end at Ctrl-C, and nothing else would.
    gracefulExit: false,
  });
  const atSignal = cleanUpOnSignal(() => bar.stop());
  return {
    bar,
    end() {
      atSignal[Symbol.dispose]();
      bar.stop();
    },
  };
}
