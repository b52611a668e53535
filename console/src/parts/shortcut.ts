/** Whether a key has a letter of a shortcut. Keyboards of other scripts have their own letter in the place of the Latin one. */
export function hasLetter(
  { key, code }: Pick<KeyboardEvent, 'key' | 'code'>,
  letter: string,
): boolean {
  // Caps Lock makes it upper case.
  if (key.toLowerCase() === letter.toLowerCase()) return true;
  return key.length === 1 && key > '\u007f' && code === `Key${letter.toUpperCase()}`;
}
