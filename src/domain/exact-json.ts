import { parseJsonNumber } from './int64.ts';

/** Reads JSON text: every integer is a bigint with all its digits, any other number a double. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? parseJsonNumber(source) : value,
  );
}

/** Writes values whose integers are bigints as JSON, with all their digits. */
export function formatExactJson(value: unknown): string {
  return JSON.stringify(value, (_key, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}
