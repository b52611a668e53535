import { constants, openSync, write } from 'node:fs';
import { isatty } from 'node:tty';
import { rest } from '../context/deadline.ts';

/** The wait before the next attempt, after the output accepted nothing. It doubles with each attempt. */
const waitMillisecondsMin = 1;
const waitMillisecondsMax = 100;

/**
 * A descriptor to write to standard output or standard error. Bun makes pipes and sockets non-blocking, but not terminals.
 * A terminal is opened again, because the flag would change the terminal of the shell too. If that is not possible, as on
 * macOS, a write to a stopped terminal blocks one thread of the pool.
 */
export function openOutput(standardDescriptor: 1 | 2): number {
  if (!isatty(standardDescriptor)) return standardDescriptor;
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/proc/self/fd/${standardDescriptor}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return standardDescriptor;
  }
}

/**
 * Writes a text completely, and never blocks this thread. If the output does not accept more, `retries` decides whether to
 * try again. It gets the error, or undefined if the reader is only slow.
 */
export async function writeText(
  descriptor: number,
  text: string,
  retries: (error: Error | undefined) => boolean,
): Promise<void> {
  const bytes = Buffer.from(text);
  let offset = 0;
  let waitMilliseconds = waitMillisecondsMin;
  while (offset < bytes.length) {
    const written = await writeSome(descriptor, bytes.subarray(offset));
    if (typeof written === 'number') {
      offset += written;
      waitMilliseconds = waitMillisecondsMin;
    } else if (retries(written)) {
      await rest(waitMilliseconds);
      waitMilliseconds = Math.min(2 * waitMilliseconds, waitMillisecondsMax);
    } else return;
  }
}

/** Returns how many bytes the output accepted, its error, or undefined if it accepts nothing now. */
function writeSome(descriptor: number, bytes: Buffer): Promise<number | Error | undefined> {
  return new Promise((resolve) => {
    write(descriptor, bytes, (error, count) => {
      if (error === null) resolve(count || undefined);
      else resolve(error.code === 'EAGAIN' ? undefined : error);
    });
  });
}

let errorDescriptor: number | undefined;
let last: Promise<void> = Promise.resolve();

/**
 * Writes to standard error without blocking this thread, and resolves when the system has accepted the text. Throws if it
 * cannot be written. `process.stderr` blocks on a terminal that was stopped with Ctrl-S.
 */
export function writeStderr(text: string): Promise<void> {
  const written = last.then(() => writeOrThrow(text));
  // The caller gets the error.
  last = written.catch(() => {});
  return written;
}

/** Writes to standard error and ignores failures. */
export function writeStderrUnawaited(text: string): void {
  // There is no other place to say it.
  writeStderr(text).catch(() => {});
}

async function writeOrThrow(text: string): Promise<void> {
  errorDescriptor ??= openOutput(2);
  let failure: Error | undefined;
  await writeText(errorDescriptor, text, (error) => {
    failure = error;
    return error === undefined;
  });
  if (failure !== undefined) throw failure;
}
