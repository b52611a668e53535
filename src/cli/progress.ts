export interface Progress extends Disposable {
  add(count: number): void;
}

/** A bar on a terminal's standard error; nothing where nobody is looking. */
export async function startProgress(title: string, total: number): Promise<Progress> {
  // Most commands, and the server, have nothing to show: it is loaded only here.
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    format: `${title} {bar} {percentage}% {value}/{total} {eta_formatted}`,
    stream: process.stderr,
    // Turns itself off where the stream is no terminal.
    noTTYOutput: false,
    hideCursor: true,
  });
  bar.start(total, 0);
  return {
    add: (count) => bar.increment(count),
    [Symbol.dispose]: () => bar.stop(),
  };
}
