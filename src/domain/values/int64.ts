/** A signed 64-bit integer, as a bigint from parsing to formatting. */
export type Int64 = bigint;

export const int64Min: Int64 = -(2n ** 63n);
export const int64Max: Int64 = 2n ** 63n - 1n;

/** The largest id that is assigned, so that clients whose numbers are doubles stay exact. */
export const assignedIdMax: Int64 = 2n ** 53n - 1n;

const plainInteger = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** Reads canonical decimal text (`0`, `-5`, no `+`, no leading zero); undefined for any other text. */
export function parseInt64(text: string): Int64 | undefined {
  if (!plainInteger.test(text)) return undefined;
  const value = BigInt(text);
  return value >= int64Min && value <= int64Max ? value : undefined;
}

const jsonNumber = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** A longer number is not read digit by digit, which limits the work for one request. */
const sourceLengthMax = 64;

const int64DigitsMax = 19;

/**
 * Reads the source text of a JSON number as an int64. `3`, `3.0` and `3e0` are the integer 3, as in JSON Schema. Undefined for
 * other numbers, and for more than 64 characters.
 */
export function parseJsonInt64(source: string): Int64 | undefined {
  if (source.length <= 15 && !/[.eE]/.test(source)) return BigInt(source);
  const match = source.length > sourceLengthMax ? null : jsonNumber.exec(source);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0n;
  const exponent = Number(exponentText) - fraction.length + digits.length - significant.length;
  if (exponent < 0 || exponent + significant.length > int64DigitsMax) return undefined;
  const value = BigInt(sign + significant + '0'.repeat(exponent));
  return value >= int64Min && value <= int64Max ? value : undefined;
}
