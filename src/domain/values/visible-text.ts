/** Control, format and line-separating characters. A terminal obeys them or shows nothing, so a name could forge output. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes hidden characters as JSON does, so that the text is one line and every character of it is shown. */
export function escapeHidden(text: string): string {
  return text.replaceAll(hidden, escapeCharacter);
}

/** The same for a text of several lines. */
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
