/**
 * Control, format and line-separating characters. A terminal interprets or hides them, so a name with them could forge output.
 */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes hidden characters as in JSON, so that the text is one line and shows every character. */
export function escapeHidden(text: string): string {
  return text.replaceAll(hidden, escapeCharacter);
}

/** Escapes hidden characters of a text with several lines. */
export function escapeHiddenInLines(text: string): string {
  return text.split('\n').map(escapeHidden).join('\n');
}

/** JSON escapes each half of a character above U+FFFF. */
function escapeCharacter(character: string): string {
  return character
    .split('')
    .map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
