/** Why a name cannot be stored; undefined where it can. */
export function nameFault(name: string): string | undefined {
  if (name.trim() === '') return 'Give a name.';
  if ([...name].length > 255) return 'A name has at most 255 characters.';
  if (/\p{Cc}/u.test(name)) return 'A name has no tabs, line ends or other control characters.';
  return name.isWellFormed() ? undefined : 'The name holds half a character.';
}

/** A name as the service compares it in a search: whatever the case, and however its characters are composed. */
export function comparable(name: string): string {
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
