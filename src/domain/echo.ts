import { escapeHidden } from './values/visible-text.ts';

const echoCharactersMax = 64;

/** Hides the API keys in a text. A client may put one into a URL by mistake. */
export type HideApiKeys = (text: string) => string;

/** Hides the keys that this program makes, whole or in part, also if they are percent-encoded. */
export const hideApiKeys: HideApiKeys = (text) => text.replaceAll(apiKeyPattern, 'anst_…');

/** Hides these, and the operator's own key, plain or percent-encoded. Its form is free, so only its text identifies it. */
export function createHideApiKeys(operatorApiKey: string | undefined): HideApiKeys {
  if (operatorApiKey === undefined) return hideApiKeys;
  // In a query, what follows the first `=` is no longer part of a name.
  const characters = [...operatorApiKey.replace(/=+$/, '')].map(encodable);
  const pattern = new RegExp(`${characters.join('')}(?:=|${percent}3[dD])*`, 'g');
  return (text) => hideApiKeys(text.replaceAll(pattern, '…'));
}

/** The percent sign of an encoded octet. It may itself be encoded, once or several times. */
const percent = '%(?:25)*';

/** Matches a character of ASCII as it is or percent-encoded. */
function encodable(character: string): string {
  const [high = '', low = ''] = character.charCodeAt(0).toString(16);
  const forms = [RegExp.escape(character), `${percent}${high}[${low}${low.toUpperCase()}]`];
  // A plus in a query is read as a space.
  return `(?:${(character === '+' ? [...forms, ' '] : forms).join('|')})`;
}

function encodableText(text: string): string {
  return [...text].map(encodable).join('');
}

/** Digits are the octets 30 to 39, letters 41 to 5A and 61 to 7A. */
const alphanumeric = `[0-9A-Za-z]|${percent}(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])`;

const apiKeyPattern = new RegExp(
  `${encodableText('anst_')}(?:${encodableText('live')}|${encodableText('test')})` +
    `${encodableText('_')}(?:${alphanumeric})*`,
  'g',
);

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
