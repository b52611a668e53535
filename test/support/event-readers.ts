import { connect, type Socket } from 'node:net';
import { newApiKey } from '../../src/http/access/new-api-key.ts';
import type { CommandWriter } from '../../src/storage/contract/command-writer.ts';
import { createKey } from './new-key.ts';

/** A key can have this many streams at once. */
export const streamsOfKey = 10;

/** Creates keys for a number of streams. */
export async function createReaderKeys(
  database: CommandWriter,
  streams: number,
): Promise<string[]> {
  const keys: string[] = [];
  for (let count = 0; count < streams / streamsOfKey; count += 1) {
    const { text, digest, lastFour } = newApiKey('production');
    await createKey(database, { name: 'reader', digest, lastFour });
    keys.push(text);
  }
  return keys;
}

/** The header of a write whose event readers recognise. Writes are numbered from 1. */
export function numberedRequest(number: number) {
  return { 'x-request-id': `w-${number}` };
}

/** The client of one stream. */
export interface EventReader {
  readonly opened: Promise<void>;
  readonly closed: Promise<void>;
  /** The numbers of the writes, in the order of their events. */
  readonly numbers: number[];
  /** When each event arrived, by `performance.now()`. */
  readonly arrivals: number[];
}

export function requestStream(origin: string, key: string, after: string): Socket {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `GET /v1/events/stream?after=${after} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  return socket;
}

/** Opens streams, and waits until each has begun. */
export async function openReaders(
  origin: string,
  keys: readonly string[],
  count: number,
): Promise<EventReader[]> {
  const readers = Array.from({ length: count }, (_, index) =>
    openReader(origin, keys[Math.floor(index / streamsOfKey)] ?? ''),
  );
  await Promise.all(readers.map(({ opened }) => opened));
  return readers;
}

function openReader(origin: string, key: string): EventReader {
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const numbers: number[] = [];
  const arrivals: number[] = [];
  let text = '';
  const socket = requestStream(origin, key, 'now');
  socket.setEncoding('latin1').on('data', (part) => {
    const at = performance.now();
    text += part;
    // The position comes first.
    if (text.includes('\nid: ')) opened.resolve();
    let end = 0;
    for (const match of text.matchAll(/"requestId":"w-(\d+)"/g)) {
      end = match.index + match[0].length;
      numbers.push(Number(match[1]));
      arrivals.push(at);
    }
    // The rest may be the beginning of the next event.
    text = text.slice(Math.max(end, text.length - 64));
  });
  socket.on('close', () => {
    opened.resolve();
    closed.resolve();
  });
  return { opened: opened.promise, closed: closed.promise, numbers, arrivals };
}

/** Waits until every reader has this many events, but not longer than `millisecondsMax`. Returns whether all have them. */
export async function waitForEvents(
  readers: readonly EventReader[],
  count: number,
  millisecondsMax: number,
): Promise<boolean> {
  const until = performance.now() + millisecondsMax;
  const isComplete = () => readers.every(({ numbers }) => numbers.length >= count);
  while (!isComplete() && performance.now() < until) await Bun.sleep(20);
  return isComplete();
}
