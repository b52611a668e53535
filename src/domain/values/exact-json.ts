import { type Int64, parseJsonInt64 } from './int64.ts';

/** Called for each value that was read, the innermost first, with the object or array that holds it. */
export type OnValue = (holder: unknown) => void;

/**
 * Reads JSON text without loss: an int64 is a bigint with all its digits, and any other number its own
 * source text (what `JSON.rawJSON` makes), so that a message can show what was sent.
 */
export function parseExactJson(text: string, onValue: OnValue = () => {}): unknown {
  return JSON.parse(text, function (_key, value, { source }) {
    onValue(this);
    if (typeof value !== 'number' || source === undefined) return value;
    return parseJsonInt64(source) ?? JSON.rawJSON(source);
  });
}

/** What `JSON.stringify` writes with every digit: a number where that is exact, which it writes soonest. */
export function exactInteger(value: Int64): unknown {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : JSON.rawJSON(String(value));
}

/** Writes values as JSON that `parseExactJson` reads back as they were. */
export function formatExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}
