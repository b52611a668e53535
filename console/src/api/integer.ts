import { parseInt64 } from '../../../src/domain/values/int64.ts';

/** Reads an integer of 64 bits that a person typed, also with leading zeros. Undefined if the text is none. */
export function parseInteger(text: string): bigint | undefined {
  return parseInt64(text.trim().replace(/^(-?)0+(?=\d)/, '$1'));
}
