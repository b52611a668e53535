import { expect, test } from 'bun:test';
import { echo } from './echo.ts';
import { parseExactJson } from './values/exact-json.ts';

test.each([
  ['text', '"text"'],
  ['\u001b[31m\n\u009b\u2028', '"\\u001b[31m\\n\\u009b\\u2028"'],
  ['\ud800', '"\\ud800"'],
  [undefined, 'nothing'],
  [null, 'null'],
  [[1], 'an array'],
  [{}, 'an object'],
  ['a'.repeat(100), `"${'a'.repeat(63)}…`],
  ['🐈'.repeat(100), `"${'🐈'.repeat(63)}…`],
  [`see anst_live_${'a'.repeat(38)}!`, '"see anst_…!"'],
])('%p is echoed as %s', (value, text) => {
  expect(echo(value)).toBe(text);
});

test.each(['1e400', '1e-400', '9007199254740993.5', '3.5', '18446744073709551616'])(
  'the number %s is echoed as it was sent',
  (source) => {
    expect(echo(parseExactJson(source))).toBe(source);
  },
);
