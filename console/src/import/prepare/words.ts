import type { PetStatus } from '../../../../client/src/contract.ts';
import { comparableName } from '../../../../src/domain/name.ts';
import { petStatuses } from '../../../../src/domain/pet.ts';
import { type CellFault, type ReadContext, statusesInFiles } from '../../animals/members.ts';
import { parseInteger } from '../../api/integer.ts';
import { nameFault } from '../../api/names.ts';
import type { CategoryChoice } from '../../categories/category-choice.ts';
import { prepareTexts as texts } from '../../texts/import.ts';

/** Categories of the catalogue. */
export interface CategoryIndex {
  /** By its name; `unknown` if not all names could be read. */
  readonly idOf: (name: string) => bigint | 'unknown' | undefined;
  readonly nameOf: (id: bigint) => string | undefined;
}

/** What the user has chosen for the words of a file, by their keys. `none` leaves their rows out. */
export interface WordAnswers {
  readonly statusWords: ReadonlyMap<string, PetStatus | 'none'>;
  readonly categoryWords: ReadonlyMap<string, CategoryChoice | 'none'>;
}

/** A word of the file whose meaning the user chooses or checks. */
export interface Word {
  readonly key: string;
  readonly text: string;
  readonly rowCount: number;
  /** A new category can have this name. */
  readonly newName?: string | undefined;
  /** The number that an export has for it, if the catalogue has no category of this number. */
  readonly freeNumber?: string | undefined;
}

/** Words that are as certain as the statuses themselves. The page shows them as chosen. */
const statusSynonyms: Readonly<Record<PetStatus, readonly string[]>> = {
  available: [
    ...['frei', 'verfügbar', 'verfuegbar', 'noch frei', 'vermittelbar', 'zu vermitteln'],
    ...['zur vermittlung', 'free', 'adoptable', 'for adoption', 'in stock'],
  ],
  pending: ['reserviert', 'vorgemerkt', 'on hold', 'adoption pending'],
  sold: ['verkauft', 'vermittelt', 'bereits vermittelt', 'adoptiert', 'adopted', 'rehomed'],
};

/** The status of a word, chosen or certain. */
export function statusAnswer(answers: WordAnswers, key: string): PetStatus | 'none' | undefined {
  return (
    answers.statusWords.get(key) ??
    petStatuses.find((status) => statusSynonyms[status].includes(key))
  );
}

/** Reads cells as categories and statuses, and collects the words that are not of the catalogue. */
export function createWordReader(answers: WordAnswers, categories: CategoryIndex) {
  const statusWords = new Map<string, Word>();
  const reader = createCategoryReader(answers, categories);
  let unknownNumberCount = 0;
  let otherCount = 0;

  function statusOf(cell: string): PetStatus | CellFault {
    const text = cell.trim();
    const key = text.toLowerCase();
    const known = petStatuses.find((status) => [status, statusesInFiles[status]].includes(key));
    if (known !== undefined) return known;
    count(statusWords, { key, text });
    return meaningOf(statusAnswer(answers, key));
  }

  return {
    statusWords,
    categoryWords: reader.words,
    newNumbers: reader.newNumbers,
    /** Numbers without names, such as ages, of which none is known. */
    areNumbersUnknown: () => unknownNumberCount > 0 && otherCount === 0,
    /** Reads the cells of one row. An export also has the name of the category. */
    contextOf: (categoryName: string | undefined): ReadContext => ({
      statusOf,
      categoryOf(cell) {
        const name = categoryName?.trim() ?? '';
        const text = cell.trim() || name;
        if (text === '') return { reason: texts.categoryFaults.missing };
        const id = parseInteger(text);
        if (id !== undefined && categories.nameOf(id) === undefined) unknownNumberCount += 1;
        else otherCount += 1;
        if (id === undefined) return reader.named(text);
        if (categoryName === undefined) return { kind: 'number', text: String(id) };
        return reader.numbered(id, name);
      },
    }),
  };
}

function createCategoryReader(answers: WordAnswers, categories: CategoryIndex) {
  const words = new Map<string, Word>();
  /** The names of category numbers that an export has and the catalogue does not. */
  const newNumbers = new Map<string, string>();
  const { namesUnknown, digitsLost, notInteger } = texts.categoryFaults;

  function ask(word: Omit<Word, 'rowCount'>): CategoryChoice | CellFault {
    count(words, word);
    return meaningOf(answers.categoryWords.get(word.key));
  }

  function named(text: string): CategoryChoice | CellFault {
    const id = categories.idOf(text);
    if (typeof id === 'bigint') return { kind: 'number', text: String(id) };
    if (/^-?\d+(?:[.,]\d+)?e\+?\d+$/i.test(text)) return { reason: digitsLost };
    if (/^-?[\d.,\s]+$/.test(text)) return { reason: notInteger };
    const fault = id === 'unknown' ? namesUnknown : nameFault(text);
    if (fault !== undefined) return { reason: fault };
    return ask({ key: comparableName(text), text, newName: text });
  }

  /** A number with its name, as an export has them. In this catalogue, both can mean another category. */
  function numbered(id: bigint, name: string): CategoryChoice | CellFault {
    const text = String(id);
    const here = categories.nameOf(id) ?? newNumbers.get(text);
    const sameName = name === '' ? undefined : categories.idOf(name);
    const fault = sameName === 'unknown' ? namesUnknown : name && nameFault(name);
    if (fault) return { reason: fault };
    const isSame =
      here === undefined
        ? sameName === undefined
        : comparableName(here.trim()) === comparableName(name);
    const meaning: CategoryChoice | CellFault = isSame
      ? { kind: 'number', text }
      : ask({
          key: `${text} ${comparableName(name)}`,
          text: texts.numberedWord(text, name),
          newName: sameName === undefined && name !== '' ? name : undefined,
          freeNumber: here === undefined ? text : undefined,
        });
    const isNew = here === undefined && name !== '' && 'text' in meaning && meaning.text === text;
    if (isNew) newNumbers.set(text, name);
    return meaning;
  }

  return { words, newNumbers, named, numbered };
}

/** Counts a row with a word. The first row has the spelling. */
function count(words: Map<string, Word>, found: Omit<Word, 'rowCount'>): void {
  const known = words.get(found.key);
  words.set(found.key, { ...found, ...known, rowCount: (known?.rowCount ?? 0) + 1 });
}

/** A word without an answer keeps its rows out, until the user has chosen. */
function meaningOf<Meaning>(answer: Meaning | 'none' | undefined): Meaning | CellFault {
  if (answer === undefined) return { reason: texts.openWord };
  return answer === 'none' ? { reason: texts.wordLeftOut } : answer;
}
