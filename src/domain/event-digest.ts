import { formatBase62 } from './base62.ts';
import type { Int64 } from './int64.ts';
import type { Sha256 } from './precondition.ts';

const digestLength = 8;
export const blankDigest = '0'.repeat(digestLength);

const beforeSequence = '{"id":"evt_';

/**
 * Puts the digest into the text of an event whose `id` ends in `blankDigest`. The digest is the first 47 bits of a SHA-256,
 * as a number in Base62 (`0-9A-Za-z`, most significant digit first). The SHA-256 is of the id of the workspace in decimal, a
 * line feed, and the text with the blank digest. This rule never changes: `verify` checks events of every age with it.
 */
export function addDigest(workspaceId: Int64, text: string, sha256: Sha256): string {
  const place = text.indexOf('_', beforeSequence.length) + 1;
  const digest = digestOf(workspaceId, text, sha256);
  return text.slice(0, place) + digest + text.slice(place + digestLength);
}

function digestOf(workspaceId: Int64, text: string, sha256: Sha256): string {
  const first48Bits = Number.parseInt(sha256(`${workspaceId}\n${text}`).slice(0, 12), 16);
  return formatBase62(Math.floor(first48Bits / 2), digestLength);
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
  sha256: Sha256,
): boolean {
  const beforeDigest = `${beforeSequence}${sequence}_`;
  const afterDigest = json.slice(beforeDigest.length + digestLength);
  const time = new Date(at);
  return (
    // `toISOString` throws for an impossible date.
    !Number.isNaN(time.getTime()) &&
    afterDigest.startsWith(
      `","sequence":${sequence},"type":"${type}","timestamp":"${time.toISOString()}"`,
    ) &&
    json === addDigest(workspaceId, beforeDigest + blankDigest + afterDigest, sha256)
  );
}
