const plain = /^[\w@%+=:,./…-]+$/;

/** Control, format and separating characters except the space. A terminal does not show them. */
const invisible = /[[\p{Cc}\p{Cf}\p{Z}]--[ ]]/v;

/** Quotes a word for a shell. A word with invisible characters needs bash, ksh or zsh. */
export function quoteWord(word: string): string {
  if (plain.test(word)) return word;
  if (!invisible.test(word)) return `'${word.replaceAll("'", "'\\''")}'`;
  const quoted = Array.from(word, (character) => {
    if (character === "'" || character === '\\') return `\\${character}`;
    return invisible.test(character) ? escapeBytes(character) : character;
  });
  return `$'${quoted.join('')}'`;
}

/** Octal numbers have at most three digits, so that a digit that follows is not part of them. */
function escapeBytes(character: string): string {
  return Array.from(
    new TextEncoder().encode(character),
    (byte) => `\\${byte.toString(8).padStart(3, '0')}`,
  ).join('');
}
