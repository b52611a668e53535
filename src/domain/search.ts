/** A text as it is compared in a search: whatever the case, and however its characters are composed. The same on every machine. */
export function comparableText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
