const min = -(2n ** 63n);
const max = 2n ** 63n - 1n;

/** An integer of 64 bits, every digit of it; undefined where a text is none. */
export function parseInteger(text: string): bigint | undefined {
  const trimmed = text.trim();
  if (!/^-?\d{1,19}$/.test(trimmed)) return undefined;
  const value = BigInt(trimmed);
  return value >= min && value <= max ? value : undefined;
}
