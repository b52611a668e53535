import { formatEightDigits } from './values/base62.ts';
import type { Int64 } from './values/int64.ts';

/** The 32 bytes of the SHA-256 of a text in UTF-8. The next call may overwrite them. */
export type Sha256Bytes = (text: string) => Uint8Array;

const digestLength = 8;
const blankDigest = '0'.repeat(digestLength);

/**
 * The text of an event: its `id`, which ends in a digest, and `rest`, which follows the digest. The digest is the first 47 bits of a
 * SHA-256, as a number in Base62 (`0-9A-Za-z`, most significant digit first). The SHA-256 is of the id of the workspace in decimal, a
 * line feed, and the text with zeros in the place of the digest. This rule never changes: `verify` checks events of every age with
 * it.
 */
export function withDigest(
  workspaceId: Int64,
  sequence: Int64,
  rest: string,
  sha256: Sha256Bytes,
): string {
  const start = startOf(sequence);
  const bytes = sha256(`${workspaceId}\n${start}${blankDigest}${rest}`);
  const first47Bits = threeBytes(bytes, 0) * 2 ** 23 + (threeBytes(bytes, 3) >> 1);
  return start + formatEightDigits(first47Bits) + rest;
}

function startOf(sequence: Int64): string {
  return `{"id":"evt_${sequence}_`;
}

function threeBytes(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
}

/** An event as it is stored: its text, and what the database looks up. */
export interface EventRow {
  readonly workspaceId: Int64;
  readonly sequence: Int64;
  readonly type: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly json: string;
}

/** Whether an event is as it was written. */
export function isIntact(
  { workspaceId, sequence, type, at, json }: EventRow,
  sha256: Sha256Bytes,
): boolean {
  const rest = json.slice(startOf(sequence).length + digestLength);
  const time = new Date(at);
  return (
    // `toISOString` throws for an impossible date.
    !Number.isNaN(time.getTime()) &&
    rest.startsWith(
      `","sequence":${sequence},"type":"${type}","timestamp":"${time.toISOString()}"`,
    ) &&
    json === withDigest(workspaceId, sequence, rest, sha256)
  );
}
