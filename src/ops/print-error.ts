import { openOutput, writeText } from './output.ts';

let descriptor: number | undefined;
let last: Promise<void> = Promise.resolve();

/**
 * Writes to standard error without blocking this thread, and resolves when the system has accepted the text. Throws if it
 * cannot be written. `process.stderr` blocks on a terminal that was stopped with Ctrl-S.
 */
export function printError(text: string): Promise<void> {
  const printed = last.then(() => print(text));
  last = printed.catch(() => {});
  return printed;
}

/** The same for a text that may be lost. */
export function printWithoutWaiting(text: string): void {
  printError(text).catch(() => {});
}

async function print(text: string): Promise<void> {
  descriptor ??= openOutput(2);
  let failure: Error | undefined;
  await writeText(descriptor, text, (error) => {
    failure = error;
    return error === undefined;
  });
  if (failure !== undefined) throw failure;
}
