/** `*`, or strong entity tags. */
export type Tags = '*' | readonly string[];

/** What a client demands of a record before it is changed (RFC 9110, section 13.1), as plain data. */
export interface Precondition {
  /** The record is there or, where tags are given, has one of them. */
  readonly match?: Tags | undefined;
  /** The record is not there or, where tags are given, has none of them. */
  readonly noneMatch?: Tags | undefined;
}

/** `tag` gives that of the record, where there is one. */
export function isMet(
  { match, noneMatch }: Precondition,
  tag: (() => string) | undefined,
): boolean {
  const hasOneOf = (tags: Tags) => tag !== undefined && (tags === '*' || tags.includes(tag()));
  return (
    (match === undefined || hasOneOf(match)) && (noneMatch === undefined || !hasOneOf(noneMatch))
  );
}

/** Gives a text's SHA-256 in hexadecimal. */
export type Sha256 = (text: string) => string;

/** The strong tag of a record (RFC 9110, section 8.8.3): 128 bits of the SHA-256 of its JSON. */
export function entityTag(json: string, sha256: Sha256): string {
  return `"${sha256(json).slice(0, 32)}"`;
}
