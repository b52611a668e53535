import { apiKeyPrefixes } from './api-key.ts';

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

const prefixes = Object.values(apiKeyPrefixes).map(encodableText);

const apiKeyPattern = new RegExp(`(?:${prefixes.join('|')})(?:${alphanumeric})*`, 'g');
