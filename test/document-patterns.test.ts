import { describe, expect, test } from 'bun:test';
import fc, { type Arbitrary } from 'fast-check';
import { isFailure } from '../src/domain/error.ts';
import { formatCursor, parseCursor } from '../src/domain/page.ts';
import { int64Max } from '../src/domain/values/int64.ts';
import { readIdempotencyKey } from '../src/http/request/idempotency.ts';
import { readEntityTags } from '../src/http/request/precondition.ts';
import { readPrefersStrict } from '../src/http/request/prefer.ts';
import { allows } from './hostile/from-schema.ts';
import { documentedOperations, type Schema } from './support/published-document.ts';

const numRuns = 5000;

function schemaOf(name: string): Schema {
  const parameters = documentedOperations.flatMap((operation) => operation.parameters);
  const found = parameters.find((parameter) => parameter.name === name);
  if (found === undefined) throw new Error(`The document has no parameter ${name}`);
  return found.schema;
}

/** Texts that the schema allows, ones that are a character away from that, and ones of these pieces. */
function textsNear({ pattern = '.' }: Schema, pieces: readonly string[]): Arbitrary<string> {
  const allowed = fc.stringMatching(new RegExp(pattern, 'u'));
  const piece = fc.constantFrom(...pieces);
  const changed = fc
    .tuple(allowed, fc.nat(), fc.nat({ max: 1 }), fc.oneof(piece, fc.constant('')))
    .map(([text, place, length, other]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + other + text.slice(at + length);
    });
  const joined = fc.array(piece, { maxLength: 30 }).map((all) => all.join(''));
  const long = fc.tuple(fc.integer({ min: 1, max: 1030 }), changed).map(([length, text]) => {
    return text.padEnd(length, 'x');
  });
  const quoted = long.map((text) => `"${text}"`);
  return fc.oneof(allowed, changed, joined, long, quoted);
}

describe('the document allows a text exactly where the service reads it:', () => {
  const odd = ['', ' ', '\t', '\x00', '\x7f', '\x80', '\xe9', '\n', '\u{1f431}'];
  test.each([
    ['Prefer', readPrefersStrict, ['handling', 'strict', '=', '"', '\\', ';', ',', 'a', '@']],
    [
      'If-Match',
      (text: string) => readEntityTags('If-Match', text),
      ['"', 'W/', '"a"', ',', '*', 'a', '\\', '!', '~'],
    ],
    ['Idempotency-Key', readIdempotencyKey, ['"', '\\', '\\"', '[', ']', 'a', '~', '!']],
  ] as const)('%s', (name, read, pieces) => {
    const schema = schemaOf(name);
    const property = fc.property(textsNear(schema, [...pieces, ...odd]), (text) => {
      expect(allows(schema, text)).toBe(!isFailure(read(text)));
    });
    fc.assert(property, { numRuns });
  });
});

describe('the document allows every cursor', () => {
  const schema = schemaOf('cursor');
  const cursors = fc.record({
    belowId: fc.bigInt(1n, int64Max),
    filterTag: fc.integer({ min: 0, max: 0xffffffff }),
  });

  test('that the service gives out', () => {
    const property = fc.property(cursors, (cursor) => allows(schema, formatCursor(cursor)));
    fc.assert(property, { numRuns });
  });

  test('that the service could read, and not just any text', () => {
    const texts = fc.oneof(
      textsNear(schema, ['=', '+', '/', '-', '_', '.', ' ']),
      cursors.map(formatCursor).map((text) => `${text}=`),
    );
    const property = fc.property(texts, (text) => {
      return parseCursor(text) === undefined || allows(schema, text);
    });
    fc.assert(property, { numRuns });
    for (const text of ['', 'a b', 'MS4x=', 'a'.repeat(65)])
      expect(allows(schema, text)).toBe(false);
  });
});
