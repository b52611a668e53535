import { every } from '../context/deadline.ts';
import { cleanUpOnSignal } from './signals.ts';

/** Shows a bar on standard error if that is a terminal, and nothing otherwise. */
export async function startProgress(title: string, total: number) {
  const { bar, end } = await makeBar(
    `${title} {bar} {percentage}% {value}/{total} {eta_formatted}`,
  );
  bar.start(total, 0);
  return { add: (count: number) => bar.increment(count), [Symbol.dispose]: end };
}

/** Shows the elapsed time of work whose progress is unknown. */
export async function startWait(title: string): Promise<Disposable> {
  const { bar, end } = await makeBar(`${title} {duration_formatted}`);
  bar.start(1, 0);
  const timer = every(1000, () => bar.update(0));
  return {
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      end();
    },
  };
}

/**
 * Shows the elapsed time of work until it ends. The work passes `onBegin` what removes its unfinished files if a signal ends the
 * process.
 */
export async function showWork<Result>(
  title: string,
  work: (onBegin: (removePartial: () => void) => void) => Promise<Result>,
): Promise<Result> {
  using shown = new DisposableStack();
  shown.use(await startWait(title));
  return await work((removePartial) => void shown.use(cleanUpOnSignal(removePartial)));
}

async function makeBar(format: string) {
  // Loaded only here, because most commands and the server show no progress.
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    format,
    stream: process.stderr,
    // Shows nothing unless the stream is a terminal.
    noTTYOutput: false,
    hideCursor: true,
    // The library would stop the bar at Ctrl-C, but not the command.
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
