/** What a module of texts has in every language. */
export type Translated<Text> = Text extends string
  ? string
  : Text extends (...args: infer Args) => infer Result
    ? (...args: Args) => Translated<Result>
    : Text extends object
      ? { [Name in keyof Text]: Translated<Text[Name]> }
      : Text;

const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const accented = 'áþçđéƒğħíĵķłḿńóṕðŕśťúṽŵẋýžÁÞÇĐÉŦĞĦÍĴĶŁḾŃÓṔØŔŚŤÚṼŴẊÝŽ';

/** Translates all texts of a module, and all that its functions return. */
export function translate<Text>(text: Text): Translated<Text>;
export function translate(text: unknown): unknown {
  if (typeof text === 'string') return pseudoText(text);
  if (typeof text === 'function') {
    return (...args: readonly unknown[]): unknown => translate(Reflect.apply(text, null, args));
  }
  if (Array.isArray(text)) return text.map((one) => translate(one));
  if (typeof text !== 'object' || text === null) return text;
  return Object.fromEntries(Object.entries(text).map(([name, one]) => [name, translate(one)]));
}

/** A text with accents, between brackets, and with 30 % more letters. A letter alone is a key, and stays. */
export function pseudoText(text: string): string {
  const letterCount = text.replace(/[^a-z]/gi, '').length;
  if (text.length < 2 || letterCount === 0) return text;
  let missing = Math.ceil(letterCount * 0.3);
  const longer = text.replace(/[a-z]/gi, (letter) => {
    const other = accented.charAt(plain.indexOf(letter));
    if (missing === 0 || !/[aeiou]/i.test(letter)) return other;
    missing -= 1;
    return other + other.toLowerCase();
  });
  return /^\s/.test(text) || /\s$/.test(text) ? longer : `[${longer}]`;
}
