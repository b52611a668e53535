/**
 * What `If-Match` demands of a record (RFC 9110, section 13.1.1), as plain data: that it is there, or that it has one of these
 * strong tags. Undefined where nothing is demanded.
 */
export type Precondition = '*' | readonly string[] | undefined;

/** Whether a record that is there has what was demanded. */
export function isMet(precondition: Precondition, tag: () => string): boolean {
  return precondition === undefined || precondition === '*' || precondition.includes(tag());
}

/** Gives a text's SHA-256 in hexadecimal. */
export type Sha256 = (text: string) => string;

/** The strong tag of a record (RFC 9110, section 8.8.3): 128 bits of the SHA-256 of its JSON. */
export function entityTag(json: string, sha256: Sha256): string {
  return `"${sha256(json).slice(0, 32)}"`;
}
