const min = -(2n ** 63n);
const max = 2n ** 63n - 1n;

/** An integer of 64 bits, every digit of it; undefined where a text is none. */
export function parseInteger(text: string): bigint | undefined {
  const trimmed = text.trim();
  if (!/^-?\d{1,19}$/.test(trimmed)) return undefined;
  const value = BigInt(trimmed);
  return value >= min && value <= max ? value : undefined;
}

/** Why a name cannot be stored; undefined where it can. */
export function nameFault(name: string): string | undefined {
  if (name.trim() === '') return 'Give a name.';
  if ([...name].length > 255) return 'A name has at most 255 characters.';
  if (/\p{Cc}/u.test(name)) return 'A name has no tabs, line ends or other control characters.';
  return name.isWellFormed() ? undefined : 'The name holds half a character.';
}
