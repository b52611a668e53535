const base62Alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns bytes from a cryptographic source. */
export type RandomBytes = (count: number) => Uint8Array;

const digitPairs = Array.from(
  { length: 62 ** 2 },
  (_, value) => base62Alphabet.charAt(value / 62) + base62Alphabet.charAt(value % 62),
);

/**
 * Formats a whole number from 0 to 62^8 - 1 in eight digits, the most significant first. Every write formats one, so pairs of
 * digits are looked up in a table.
 */
export function formatEightDigits(value: number): string {
  const high = Math.floor(value / 62 ** 4);
  return formatFourDigits(high) + formatFourDigits(value - high * 62 ** 4);
}

function formatFourDigits(value: number): string {
  const high = Math.floor(value / 62 ** 2);
  return `${digitPairs[high]}${digitPairs[value - high * 62 ** 2]}`;
}

/** Random characters of the alphabet. */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte. With larger bytes, some characters would be more likely.
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += base62Alphabet[byte % 62];
    }
  }
  return text;
}
