import { type Logger, pino } from 'pino';
import { after, settlesWithin } from '../context/deadline.ts';
import type { LogFormat, LogLevel } from './config.ts';
import { createLogQueue, lineLevels } from './log-queue.ts';
import { openOutput, writeStderrUnawaited, writeText } from './output.ts';

export type Log = Logger;

/** Lines that wait until they can be written, in characters of one or two bytes: so at most 2 MiB. */
const waitingLengthMax = 2 ** 20;

/** How long lines of `debug` and `trace` wait for others. To wake a thread for each would cost more than the line. */
const groupMilliseconds = 10;

const closeMillisecondsMax = 600;

/** A chain of causes can be a circle. */
const causesMax = 10;

/**
 * Writes to standard output: JSON for machines; for people, text with local time, and with colours on a terminal. The
 * formatter of the text is only loaded if it is used.
 * Logging never blocks this thread and never throws, even if the reader of standard output has stopped or the disk is full:
 * one write runs at a time, in another thread, and other lines wait for it in a queue.
 */
export async function openLog(level: LogLevel, format: LogFormat) {
  const formatLine = await createFormatLine(format);
  const descriptor = openOutput(1);
  const queue = createLogQueue(waitingLengthMax);
  let timer: Disposable | undefined;
  let writing: Promise<void> | undefined;
  let isDue = false;
  let isClosing = false;
  let hasEnded = false;
  let hasReported = false;

  const log = pino(
    { level, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: serializeError } },
    {
      write(line) {
        const lineLevel = levelOf(line);
        queue.add(lineLevel, formatLine(line));
        if (lineLevel !== 'debug' && lineLevel !== 'trace') writeNow();
        else timer ??= after(groupMilliseconds, writeNow);
      },
    },
  );

  function writeNow(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    isDue = true;
    writing ??= Promise.resolve().then(writeQueue);
  }

  async function writeQueue(): Promise<void> {
    while (isDue && !hasEnded) {
      isDue = false;
      const text = queue.take();
      const lines = queue.takeDroppedCount();
      // The queue is empty now, so that this line is not dropped too.
      if (lines > 0) log.warn({ lines }, 'log lines were dropped: the output did not accept them');
      await writeText(descriptor, text, retries);
    }
    writing = undefined;
  }

  function retries(error: Error | undefined): boolean {
    if (error === undefined) return !hasEnded;
    if (!hasReported) {
      hasReported = true;
      const message = `The log cannot be written; lines may be lost: ${error.message}`;
      writeStderrUnawaited(`animal-store: ${message}\n`);
    }
    return !isClosing;
  }

  return {
    log,
    droppedLines: queue.droppedLines,
    /** Whether closing has begun. */
    get isClosing() {
      return isClosing;
    },
    /** Waits until all lines are written, but not longer than `closeMillisecondsMax`. */
    async [Symbol.asyncDispose](): Promise<void> {
      isClosing = true;
      writeNow();
      if (writing !== undefined) await settlesWithin(writing, closeMillisecondsMax);
      hasEnded = true;
    },
  };
}

export type OpenLog = Awaited<ReturnType<typeof openLog>>;

async function createFormatLine(format: LogFormat): Promise<(line: string) => string> {
  const colorize = process.stdout.isTTY;
  if (format === 'json' || (format === 'auto' && !colorize)) return (line) => line;
  const { prettyFactory } = await import('pino-pretty');
  return prettyFactory({ colorize, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' });
}

/**
 * Serializes like pino, but does not repeat the message of a cause that the error's message contains. In `detail` and `where`,
 * PostgreSQL quotes the values of a row, such as the note of an order.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { detail, where, ...members }: Record<string, unknown> = pino.stdSerializers.err(error);
  return { ...members, message: messageWithCauses(error) };
}

function messageWithCauses(error: Error): string {
  let { message, cause } = error;
  for (let depth = 0; cause instanceof Error && depth < causesMax; depth += 1) {
    if (!message.includes(cause.message)) message += `: ${cause.message}`;
    cause = cause.cause;
  }
  return message;
}

/** Each line begins with `{"level":30`, in which the first digit counts the levels from 1. */
function levelOf(line: string) {
  return lineLevels[line.charCodeAt('{"level":'.length) - '1'.charCodeAt(0)] ?? 'fatal';
}
