import { createSearch, foldText } from '../../../../src/domain/search.ts';
import type { FieldAttributes } from '../controls.tsx';

/** What can be chosen in a combobox. */
export interface Option {
  readonly value: string;
  readonly text: string;
  /** Tells options of the same text apart, such as the number of a category. It is found if it is typed whole. */
  readonly hint?: string | undefined;
}

export interface ComboboxProps extends Partial<FieldAttributes> {
  readonly label: string;
  /** The value of an option. Any other value is nothing chosen. */
  readonly value: string;
  readonly options: readonly Option[];
  readonly onSelect: (value: string) => void;
  /** Options that a text adds, such as a new category of this name. */
  readonly optionsOf?: ((typed: string) => readonly Option[]) | undefined;
  /** The service searches: `options` are what it has found. */
  readonly onType?: (typed: string) => void;
  readonly isSearching?: boolean;
  readonly placeholder?: string | undefined;
  readonly autofocus?: boolean;
}

/**
 * The options that a typed text finds, those that begin with it first, and then those that it adds. Nothing typed finds all.
 * `isSearched` is false if the options were already found by the text.
 */
export function findOptions(
  options: readonly Option[],
  typed: string,
  isSearched = true,
  optionsOf: (typed: string) => readonly Option[] = () => [],
): readonly Option[] {
  const wanted = foldText(typed).trim();
  if (wanted === '') return options;
  const found = isSearched ? search(options, typed) : options;
  if (findNamed(found, typed).length > 0) return found;
  const values = new Set(found.map(({ value }) => value));
  return [...found, ...optionsOf(typed.trim()).filter(({ value }) => !values.has(value))];
}

function search(options: readonly Option[], typed: string): readonly Option[] {
  const wanted = foldText(typed).trim();
  const isFound = createSearch(typed);
  const found = options.filter(({ text, hint }) => hint === typed.trim() || isFound(text));
  const begins = ({ text }: Option) => foldText(text).startsWith(wanted);
  return [...found.filter(begins), ...found.filter((option) => !begins(option))];
}

/** The options that have a typed text as a whole. */
function findNamed(options: readonly Option[], typed: string): readonly Option[] {
  const wanted = foldText(typed).trim();
  return options.filter(
    ({ text, hint }) => hint === typed.trim() || foldText(text).trim() === wanted,
  );
}

/** What a user meant who leaves the field after typing: the only option of this text, or else the only one that was found. */
export function findMeant(found: readonly Option[], typed: string): Option | undefined {
  if (typed.trim() === '') return undefined;
  const named = findNamed(found, typed);
  const meant = named.length === 0 ? found : named;
  return meant.length === 1 ? meant[0] : undefined;
}
