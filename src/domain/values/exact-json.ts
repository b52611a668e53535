import { type Int64, parseJsonInt64 } from './int64.ts';

/** Called for each value, the innermost first, with the object or array that contains it. */
type OnValue = (holder: unknown) => void;

/**
 * Reads JSON text without loss: an int64 becomes a bigint, and any other number a `JSON.rawJSON` of its source text, so that a
 * message can show it.
 */
export function parseExactJson(text: string, onValue: OnValue = () => {}): unknown {
  if (!needsSource.test(text)) {
    // A function that is called for each value makes `JSON.parse` six times slower.
    const root: Holder = { '': JSON.parse(text) };
    convertNumbers(root, onValue);
    return root[''];
  }
  return JSON.parse(text, function (_key, value, { source }) {
    onValue(this);
    if (typeof value !== 'number' || source === undefined) return value;
    return parseJsonInt64(source) ?? JSON.rawJSON(source);
  });
}

/** Matches each text with a number that has a fraction, an exponent, or more digits than a double has exactly. */
const needsSource = /[0-9](?:[.eE]|[0-9]{15})/;

type Holder = Record<string, unknown>;

/** Replaces numbers, which are exact integers, with bigints. */
function convertNumbers(holder: Holder, onValue: OnValue): void {
  for (const name in holder) {
    const value = holder[name];
    if (typeof value === 'number') holder[name] = BigInt(value);
    else if (isHolder(value)) convertNumbers(value, onValue);
    onValue(holder);
  }
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

/** Returns a value that `JSON.stringify` writes with every digit. A number is fastest, if it is exact. */
export function exactInteger(value: Int64): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

/** Writes JSON that `parseExactJson` reads without loss. */
export function formatExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}
