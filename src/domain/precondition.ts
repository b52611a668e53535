import type { Sha256 } from './values/digest.ts';

/** `*` for any version of a record, or some of its versions. */
export type Versions = '*' | readonly string[];

/** The state of a record that a command requires. */
export interface Precondition {
  /** The record exists and has one of these versions. */
  readonly match?: Versions | undefined;
  /** The record does not exist, or has none of these versions. */
  readonly noneMatch?: Versions | undefined;
}

/** `version` returns that of the record. It is undefined if there is no record. */
export function isMet(
  { match, noneMatch }: Precondition,
  version: (() => string) | undefined,
): boolean {
  const hasOneOf = (versions: Versions) =>
    version !== undefined && (versions === '*' || versions.includes(version()));
  return (
    (match === undefined || hasOneOf(match)) && (noneMatch === undefined || !hasOneOf(noneMatch))
  );
}

/** The version of a record: the first 128 bits of the SHA-256 of its JSON. */
export function recordVersion(json: string, sha256: Sha256): string {
  return sha256(json).slice(0, 32);
}
