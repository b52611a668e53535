/** The first character at which a text stops being JSON. */
export interface JsonFault {
  /** Undefined at the end of the text. */
  readonly found: string | undefined;
  /** From 1. */
  readonly line: number;
  /** From 1, in characters (code points). */
  readonly column: number;
}

/** Finds the character at which `JSON.parse` rejects a text, which its error does not name. Undefined for valid JSON. */
export function findJsonFault(text: string): JsonFault | undefined {
  const index = findFaultIndex(text);
  if (index === undefined) return undefined;
  const lines = text.slice(0, index).split(/\r\n|\n|\r/);
  const code = text.codePointAt(index);
  return {
    found: code === undefined ? undefined : String.fromCodePoint(code),
    line: lines.length,
    column: [...(lines.at(-1) ?? '')].length + 1,
  };
}

type Expected = 'value' | 'item or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

function findFaultIndex(text: string): number | undefined {
  /** The brackets that close what is open. */
  const closing: string[] = [];
  let expected: Expected = 'value';
  let index = skipWhiteSpace(text, 0);
  for (; index < text.length; index = skipWhiteSpace(text, index)) {
    const character = text[index];
    if (expected === 'comma or end') {
      const close = closing.at(-1);
      if (character === ',' && close !== undefined) expected = close === '}' ? 'name' : 'value';
      else if (character === close) closing.pop();
      else return index;
      index += 1;
    } else if (expected === 'colon') {
      if (character !== ':') return index;
      expected = 'value';
      index += 1;
    } else if (expected.endsWith('end') && character === closing.at(-1)) {
      closing.pop();
      expected = 'comma or end';
      index += 1;
    } else if (expected.startsWith('name')) {
      const name = character === '"' ? readString(text, index) : { fault: index };
      if (name.fault !== undefined) return name.fault;
      expected = 'colon';
      index = name.end;
    } else if (character === '{' || character === '[') {
      closing.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'name or end' : 'item or end';
      index += 1;
    } else {
      const value = readScalar(text, index);
      if (value.fault !== undefined) return value.fault;
      expected = 'comma or end';
      index = value.end;
    }
  }
  return expected === 'comma or end' && closing.length === 0 ? undefined : text.length;
}

/** The end of a token, or the first character that does not belong to it. */
type Token =
  | { readonly end: number; readonly fault?: undefined }
  | { readonly fault: number; readonly end?: undefined };

function readScalar(text: string, start: number): Token {
  const character = text[start] ?? '';
  if (character === '"') return readString(text, start);
  if (character === '-' || isDigit(character)) return readNumber(text, start);
  const word = words.find(([first]) => first === character);
  if (word === undefined) return { fault: start };
  const wrong = [...word].findIndex((letter, offset) => text[start + offset] !== letter);
  return wrong === -1 ? { end: start + word.length } : { fault: start + wrong };
}

const words = ['true', 'false', 'null'];

function readString(text: string, start: number): Token {
  for (let index = start + 1; index < text.length; index += 1) {
    const character = text[index] ?? '';
    if (character === '"') return { end: index + 1 };
    if (character < ' ') return { fault: index };
    if (character !== '\\') continue;
    index += 1;
    const escaped = text[index];
    if (escaped === undefined || !'"\\/bfnrtu'.includes(escaped)) return { fault: index };
    if (escaped !== 'u') continue;
    for (const last = index + 4; index < last; ) {
      index += 1;
      if (!/^[0-9A-Fa-f]$/.test(text[index] ?? '')) return { fault: index };
    }
  }
  return { fault: text.length };
}

function readNumber(text: string, start: number): Token {
  let index = text[start] === '-' ? start + 1 : start;
  const whole = text[index] === '0' ? index + 1 : skipDigits(text, index);
  if (whole === index) return { fault: index };
  index = whole;
  if (text[index] === '.') {
    const fraction = skipDigits(text, index + 1);
    if (fraction === index + 1) return { fault: fraction };
    index = fraction;
  }
  if (text[index] === 'e' || text[index] === 'E') {
    const sign = text[index + 1];
    const digits = index + (sign === '+' || sign === '-' ? 2 : 1);
    const exponent = skipDigits(text, digits);
    if (exponent === digits) return { fault: digits };
    index = exponent;
  }
  return { end: index };
}

function skipDigits(text: string, start: number): number {
  let index = start;
  while (isDigit(text[index] ?? '')) index += 1;
  return index;
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function skipWhiteSpace(text: string, start: number): number {
  let index = start;
  while (index < text.length && ' \t\n\r'.includes(text[index] ?? '')) index += 1;
  return index;
}
