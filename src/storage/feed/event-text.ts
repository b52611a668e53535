import type { NewEvent } from '../../domain/event.ts';
import { formatEightDigits } from '../../domain/values/base62.ts';
import type { Int64 } from '../../domain/values/int64.ts';

/** The text of an event, the same in every response. `sequence` is its place in the feed of its workspace. */
export function formatEvent(
  { type, at, requestId, actor, data, previous }: NewEvent,
  workspaceId: Int64,
  sequence: Int64,
): string {
  // Every write makes such a text. Several small `JSON.stringify` cost less than one of all.
  const time = new Date(at).toISOString();
  const request = requestId === undefined ? '' : `,"requestId":${JSON.stringify(requestId)}`;
  const before = previous === undefined ? '' : `,"previous":${JSON.stringify(previous)}`;
  const rest = `","sequence":${sequence},"type":"${type}","timestamp":"${time}"${request},"actor":"${actor}","data":${JSON.stringify(data)}${before}}`;
  return withDigest(workspaceId, sequence, escapeLineSeparators(rest));
}

/** JSON allows these two characters in strings, but some readers of a stream take them for the end of a line. */
function escapeLineSeparators(json: string): string {
  return /[\u2028\u2029]/.test(json)
    ? json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
    : json;
}

const digestLength = 8;
const blankDigest = '0'.repeat(digestLength);

/** The SHA-256 of the last text. */
const bytes = new Uint8Array(32);

/**
 * The text of an event: its `id`, which ends in a digest, and `rest`, which follows the digest. The digest is the first 47 bits of a
 * SHA-256, as a number in Base62 (`0-9A-Za-z`, most significant digit first). The SHA-256 is of the id of the workspace in decimal, a
 * line feed, and the text with zeros in the place of the digest. This rule never changes: `verify` checks events of every age with
 * it.
 */
function withDigest(workspaceId: Int64, sequence: Int64, rest: string): string {
  const start = startOf(sequence);
  Bun.SHA256.hash(`${workspaceId}\n${start}${blankDigest}${rest}`, bytes);
  const first47Bits = threeBytes(0) * 2 ** 23 + (threeBytes(3) >> 1);
  return start + formatEightDigits(first47Bits) + rest;
}

function startOf(sequence: Int64): string {
  return `{"id":"evt_${sequence}_`;
}

function threeBytes(at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}

/** An event as it is stored: its text, and what the database looks up. */
export interface EventRow {
  readonly workspaceId: Int64;
  readonly sequence: Int64;
  readonly type: string;
  readonly recordId: Int64;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly json: string;
}

/** Whether an event is as it was written. */
export function isIntact({ workspaceId, sequence, type, recordId, at, json }: EventRow): boolean {
  const rest = json.slice(startOf(sequence).length + digestLength);
  const time = new Date(at);
  return (
    // `toISOString` throws for an impossible date.
    !Number.isNaN(time.getTime()) &&
    rest.startsWith(
      `","sequence":${sequence},"type":"${type}","timestamp":"${time.toISOString()}"`,
    ) &&
    recordId === recordIdIn(rest) &&
    json === withDigest(workspaceId, sequence, rest)
  );
}

/** The id of the record in the text of an event, or 0 if `data` is empty. */
function recordIdIn(text: string): Int64 {
  // No string contains this text, because its quotation marks would be escaped.
  const [, id = '0'] = /,"data":\{(?:"id":(-?\d+),)?/.exec(text) ?? [];
  return BigInt(id);
}
