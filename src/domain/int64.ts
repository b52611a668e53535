/** A signed 64-bit integer, kept as a bigint from the first digit read to the last digit written. */
export type Int64 = bigint;

export const int64Min: Int64 = -(2n ** 63n);
export const int64Max: Int64 = 2n ** 63n - 1n;

/** The largest identifier ever assigned, so that clients whose numbers are doubles stay exact. */
export const assignedIdMax: Int64 = 2n ** 53n - 1n;

const plainInteger = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** Reads canonical decimal text (`0`, `-5`, no `+`, no leading zero); anything else is undefined. */
export function parseInt64(text: string): Int64 | undefined {
  if (!plainInteger.test(text)) return undefined;
  const value = BigInt(text);
  return value >= int64Min && value <= int64Max ? value : undefined;
}

const jsonNumber = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** No number longer than this is read digit by digit, which bounds the work a caller can ask for. */
const sourceLengthMax = 64;

/** No int64 has more digits than this, so a larger number need not be expanded to be refused. */
const digitsMax = 30;

/**
 * Reads the source text of a JSON number. An integer is a bigint with every digit kept, however it is
 * written (`3`, `3.0` and `3e0` are the integer 3, as JSON Schema has it); any other number, and any of
 * more than 64 characters, is a double.
 */
export function parseJsonNumber(source: string): bigint | number {
  if (source.length <= 15 && !/[.eE]/.test(source)) return BigInt(source);
  const match = source.length > sourceLengthMax ? null : jsonNumber.exec(source);
  if (match === null) return Number(source);
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return 0n;
  const exponent = Number(exponentText) - fraction.length + digits.length - significant.length;
  if (exponent < 0 || exponent + significant.length > digitsMax) return Number(source);
  return BigInt(sign + significant + '0'.repeat(exponent));
}
