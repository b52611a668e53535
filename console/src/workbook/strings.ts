import type { XmlElement } from './xml.ts';

/** Collects the text of a string item: plain, or in runs with formats of their own. */
export function createItemText() {
  let text = '';
  let isText = false;
  let isPhonetic = false;
  return {
    /** Begins an item. */
    clear(): void {
      text = '';
    },
    open({ name }: XmlElement): void {
      // How Japanese words are pronounced. The spreadsheet shows it above the text, if at all.
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    },
    add(part: string): void {
      if (isText) text += part;
    },
    close(name: string): void {
      if (name === 'rPh') isPhonetic = false;
      isText = false;
    },
    read: () => decodeEscapes(text),
  };
}

/** Characters that XML cannot contain are written as `_x0007_`. ECMA-376 part 1, 22.4.2.4. */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\da-f]{4})_/gi, (_whole, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
