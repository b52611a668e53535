import fc, { type Arbitrary } from 'fast-check';
import { petStatuses } from '../../src/domain/pet.ts';
import type { Part } from './model.ts';

/** Parts that are valid, and mean what their text says. */
export function valid<Meaning>(meaning: Arbitrary<Meaning>): Arbitrary<Part<Meaning>> {
  return meaning.map((value) => ({ text: String(value), meaning: value }));
}

export function meaning<Meaning>(value: Meaning, ...texts: readonly string[]) {
  return fc.constantFrom(...texts).map((text) => ({ text, meaning: value }));
}

/** Parts that are not valid, and so mean nothing. */
export function invalid(...texts: readonly string[]): Arbitrary<Part<never>> {
  return fc.constantFrom(...texts).map((text) => ({ text, meaning: undefined }));
}

/** The first nine times out of ten; a failing case is cut down towards it. */
export function mostly<First, Second>(first: Arbitrary<First>, second: Arbitrary<Second>) {
  return fc.oneof({ weight: 9, arbitrary: first }, { weight: 1, arbitrary: second });
}

export function seldom<Value>(value: Arbitrary<Value>): Arbitrary<Value | undefined> {
  return mostly(fc.constant(undefined), value);
}

export const int64Max = 2n ** 63n - 1n;
export const int64 = fc.bigInt(-int64Max - 1n, int64Max);
export const status = valid(fc.constantFrom(...petStatuses));
