import * as animal from '../../console/src/texts/animal.ts';
import * as animals from '../../console/src/texts/animals.ts';
import * as bulk from '../../console/src/texts/bulk.ts';
import * as categories from '../../console/src/texts/categories.ts';
import * as changes from '../../console/src/texts/changes.ts';
import * as common from '../../console/src/texts/common.ts';
import * as errors from '../../console/src/texts/errors.ts';
import * as events from '../../console/src/texts/events.ts';
import * as files from '../../console/src/texts/files.ts';
import * as imports from '../../console/src/texts/import.ts';
import * as keys from '../../console/src/texts/keys.ts';
import * as localCount from '../../console/src/texts/local-count.ts';
import * as orders from '../../console/src/texts/orders.ts';
import * as print from '../../console/src/texts/print.ts';
import * as session from '../../console/src/texts/session.ts';
import * as sessions from '../../console/src/texts/sessions.ts';
import * as shortName from '../../console/src/texts/short-name.ts';
import * as status from '../../console/src/texts/status.ts';
import * as undo from '../../console/src/texts/undo.ts';
import * as webhooks from '../../console/src/texts/webhooks.ts';

/** What a module of texts has in every language. */
type Translated<Text> = Text extends string
  ? string
  : Text extends (...args: infer Args) => infer Result
    ? (...args: Args) => Translated<Result>
    : Text extends object
      ? { [Name in keyof Text]: Translated<Text[Name]> }
      : Text;

const english = {
  ...{ animal, animals, bulk, categories, changes, common, errors, events, files, import: imports },
  ...{ keys, 'local-count': localCount, orders, print, session, sessions },
  ...{ 'short-name': shortName, status, undo, webhooks },
};

const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const accented = 'áƀçđéƒǧħíĵķłḿńóṕɋŕśťúṽŵẋýžÁɃÇĐÉƑǦĦÍĴĶŁḾŃÓṔɊŔŚŤÚṼŴẊÝŽ';

/** The modules in the pseudo-language. This compiles only if no type of a text is its English wording. */
export const pseudoModules: typeof english = translate(english);

/** Translates all texts of a module, and all that its functions return. */
function translate<Text>(text: Text): Translated<Text>;
function translate(text: unknown): unknown {
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
