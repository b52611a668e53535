import { int64Fields } from './contract.ts';

/** The source of a number (Node 21, Chrome 114 and later). */
interface SourceContext {
  readonly source?: string;
}

const isInt64Field = new Set<string>(int64Fields);

let hasSource = false;
JSON.parse('1', (_name: string, _value: unknown, context?: SourceContext) => {
  hasSource = context?.source === '1';
});

/** Reads JSON. Fields of 64 bits become bigints with every digit, also small ones. */
export function parseJson(text: string): unknown {
  if (!hasSource) return parseWithoutSource(text);
  return JSON.parse(text, (name: string, value: unknown, context?: SourceContext) =>
    typeof value === 'number' && isInt64Field.has(name) ? toBigint(context?.source, value) : value,
  );
}

function toBigint(source: string | undefined, value: number): bigint | number {
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** A whole string, or a whole number. */
const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** An integer that a double may not hold. */
const longInteger = /^-?\d{16,}$/;

/** The member of an object that replaces a long integer in the text. The service never sends such a member. */
const marker = '$int64';

/** For engines without the source of a number: long integers become objects before the text is parsed. */
export function parseWithoutSource(text: string): unknown {
  const marked = text.replace(stringOrNumber, (token) =>
    longInteger.test(token) ? `{"${marker}":"${token}"}` : token,
  );
  return JSON.parse(marked, (name: string, value: unknown) => {
    if (typeof value === 'number' && isInt64Field.has(name) && Number.isSafeInteger(value)) {
      return BigInt(value);
    }
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, marker)) return value;
    const digits = BigInt((value as Record<string, string>)[marker] ?? '0');
    return isInt64Field.has(name) ? digits : Number(digits);
  });
}

/** Writes JSON with every digit of a bigint, also if `BigInt.prototype.toJSON` is defined. */
export function stringify(value: unknown, space?: string | number): string {
  // No text contains this by chance.
  const secret = randomHex();
  const text = JSON.stringify(
    value,
    function (this: Record<string, unknown>, name: string, member: unknown) {
      const original = this[name];
      return typeof original === 'bigint' ? `${secret}${original}` : member;
    },
    space,
  );
  return (text ?? 'null').replaceAll(new RegExp(`"${secret}(-?\\d+)"`, 'g'), '$1');
}

/** 128 random bits. Unlike `crypto.randomUUID`, on pages without TLS too. */
export function randomHex(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
