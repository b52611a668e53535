import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { LogFormat, LogLevel } from './config.ts';

export type Log = Logger;

/** Lines that could not be written are kept up to here, and written once they can be; those after them are dropped. */
const keptBytesMax = 65_536;

/**
 * Writes to standard output, and waits for it: no line is lost when the process ends. JSON for machines; for people, text
 * with local time, and with colours on a terminal. What makes text is loaded only then.
 * Where nothing can be written, as on a full disk, it goes on without: no caller ever fails for its log.
 */
export async function openLog(level: LogLevel, format: LogFormat): Promise<Log> {
  const options = { level, timestamp: pino.stdTimeFunctions.isoTime };
  const destination = openStandardOutput();
  const colorize = process.stdout.isTTY;
  if (format === 'json' || (format === 'auto' && !colorize)) return pino(options, destination);
  const { default: pretty } = await import('pino-pretty');
  const text = { colorize, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' };
  return pino(options, pretty({ destination, sync: true, ...text }));
}

function openStandardOutput() {
  const destination = pino.destination({ dest: 1, sync: true, maxLength: keptBytesMax });
  let isTold = false;
  // Without a listener, the error would be thrown at whoever wrote a line.
  destination.on('error', (error: Error) => {
    if (!isTold) tell(`The log cannot be written; lines may be lost: ${error.message}`);
    isTold = true;
  });
  return destination;
}

/** Standard error may be the same full disk. */
function tell(line: string): void {
  try {
    writeSync(2, `animal-store: ${line}\n`);
  } catch {}
}
