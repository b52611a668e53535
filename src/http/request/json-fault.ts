import { echo } from '../../domain/echo.ts';

/** Describes the character at which `JSON.parse` rejects a text, which its error does not name. Undefined for valid JSON. */
export function findJsonFault(text: string): string | undefined {
  const index = findFaultIndex(text);
  if (index === undefined) return undefined;
  const code = text.codePointAt(index);
  const found = code === undefined ? 'end' : echo(String.fromCodePoint(code));
  const lines = text.slice(0, index).split(/\r\n|\n|\r/);
  // In characters, which are code points.
  const column = [...(lines.at(-1) ?? '')].length + 1;
  return `unexpected ${found} at line ${lines.length}, column ${column}`;
}

type Expected = 'value' | 'item or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

function findFaultIndex(text: string): number | undefined {
  /** The brackets that close what is open. */
  const closing: string[] = [];
  let expected: Expected = 'value';
  let index = matchAt(whiteSpace, text, 0).length;
  while (index < text.length) {
    const character = text[index];
    const close = closing.at(-1);
    const isName: boolean = expected.startsWith('name');
    let length = 1;
    if (character === close && expected.endsWith('end')) {
      closing.pop();
      expected = 'comma or end';
    } else if (expected === 'comma or end') {
      if (character !== ',' || close === undefined) return index;
      expected = close === '}' ? 'name' : 'value';
    } else if (expected === 'colon') {
      if (character !== ':') return index;
      expected = 'value';
    } else if (!isName && (character === '{' || character === '[')) {
      closing.push(character === '{' ? '}' : ']');
      expected = character === '{' ? 'name or end' : 'item or end';
    } else {
      if (isName && character !== '"') return index;
      const token = matchAt(scalarStart, text, index);
      if (!isJson(token)) return index + token.length;
      expected = isName ? 'colon' : 'comma or end';
      length = token.length;
    }
    index += length;
    index += matchAt(whiteSpace, text, index).length;
  }
  return expected === 'comma or end' && closing.length === 0 ? undefined : text.length;
}

const whiteSpace = /[ \t\n\r]*/y;

const stringStart = String.raw`"(?:[ !#-\[\]-\uffff]|\\(?:["\\\/bfnrt]|u[\dA-Fa-f]{4}))*(?:"|\\(?:u[\dA-Fa-f]{0,3})?)?`;
const wordStart = 't(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?';
const exponentStart = String.raw`[eE][+\-]?\d*`;
const numberStart = String.raw`-?(?:(?:0|[1-9]\d*)(?:${exponentStart}|\.(?:\d+(?:${exponentStart})?)?)?)?`;

/** Matches a string, word or number, or as much as starts one. If it is not whole, the fault is the next character. */
const scalarStart = new RegExp(`${stringStart}|${wordStart}|${numberStart}`, 'y');

/** What a pattern that also matches the empty text finds at an index. */
function matchAt(sticky: RegExp, text: string, index: number): string {
  sticky.lastIndex = index;
  return sticky.exec(text)?.[0] ?? '';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
