import { type Logger, pino } from 'pino';
import type { LogLevel } from './config.ts';

export type Log = Logger;

/**
 * Writes to standard output, and waits for it: no line is lost when the process ends. JSON for machines;
 * for a person at a terminal, colours and local time. The reader of the latter is loaded only then.
 */
export async function openLog(level: LogLevel): Promise<Log> {
  const options = { level, timestamp: pino.stdTimeFunctions.isoTime };
  if (!process.stdout.isTTY) return pino(options, pino.destination({ dest: 1, sync: true }));
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' }));
}
