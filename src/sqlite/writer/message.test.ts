import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readMessage, toMessage } from './message.ts';

const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('\u0000', '\u0001', '\ud800', '"', '\\', '1', 'n') }),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.maxSafeInteger(),
    fc.constantFrom(null, true, false, 0.5),
    fc.array(tie('value')),
    fc.dictionary(
      fc.string().filter((name) => name !== '__proto__'),
      tie('value'),
    ),
  ),
}));

test('every value of plain data is read from its message as it was', () => {
  fc.assert(
    fc.property(value, (sent) => {
      const before = structuredClone(sent);
      expect(readMessage(toMessage(sent))).toStrictEqual(before);
      expect(sent).toStrictEqual(before);
    }),
  );
});
