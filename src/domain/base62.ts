export const base62Alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Gives that many bytes from a cryptographic source. */
export type RandomBytes = (count: number) => Uint8Array;

/** A whole number from 0 up, in so many digits, the most significant first. */
export function formatBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) {
    text = base62Alphabet.charAt(rest % 62) + text;
  }
  return text;
}

/** Characters each of which may be any of 62. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte: what lies above would make some characters likelier.
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += base62Alphabet[byte % 62];
    }
  }
  return text;
}
