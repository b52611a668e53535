import { type HideApiKeys, hideApiKeys } from './access/hide-api-keys.ts';
import { escapeHidden } from './values/visible-text.ts';

const echoCharactersMax = 64;

/** Quotes input in a message: as JSON, escaped, without API keys, at most 64 characters. */
export function echo(value: unknown, hide: HideApiKeys = hideApiKeys): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (JSON.isRawJSON(value)) return cut(value.rawJSON);
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return cut(String(value));
  const text = hide(value);
  // The rest of a long string is dropped before it is escaped.
  const start = text.slice(0, 4 * echoCharactersMax);
  return cut(escapeHidden(JSON.stringify(start)), start.length < text.length);
}

function cut(text: string, wasCut = false): string {
  const characters = [...text];
  if (!wasCut && characters.length <= echoCharactersMax) return text;
  return `${characters.slice(0, echoCharactersMax).join('')}…`;
}
