import type { PetStatus } from '../../../client/src/contract.ts';
import { animalName, type NamedAnimal } from './animals.ts';
import { localCount, pluralize } from './local-count.ts';
import { statusName } from './status.ts';

const animals = (count: number) => pluralize(count, { one: 'one animal', other: '# animals' });

/** At the beginning of a sentence, with the verb after it. */
const animalsWere = (count: number) =>
  count === 0
    ? 'No animals were'
    : pluralize(count, { one: '# animal was', other: '# animals were' });

/** The bar of the selected animals. */
export const texts = {
  title: 'Selected animals',
  selected: (count: number) => `${localCount(count)} selected`,
  setTo: (status: PetStatus) => `Set to ${statusName(status)}`,
  setToQuestion: (count: number, status: PetStatus) =>
    `Set ${animals(count)} to ${statusName(status)}?`,
  setToHint: (counts: string) =>
    `When you selected them: ${counts}. Animals that another user has changed since then are skipped and listed. Orders do not change.`,
  countOf: (count: number, status: PetStatus) => `${localCount(count)} ${statusName(status)}`,
  setCategory: 'Set category…',
  setCategoryOf: (count: number) => `Set the category of ${animals(count)}`,
  setCategorySubmit: 'Set the category',
  setCategoryHint:
    'Animals that another user has changed since you selected them are skipped and listed.',
  deleteQuestion: (count: number) => `Delete ${animals(count)}?`,
  deleteHint:
    'Their numbers are never used again. Animals that another user has changed since you selected them are skipped and listed.',
  selectAll: 'Select all',
  selectingAll: 'Reading the list…',
  clear: 'Clear selection',
};

/** What a change of many animals does, for its messages. `before` counts animals that had the wanted value. */
export interface BulkKind {
  readonly running: (count: number) => string;
  readonly done: (count: number) => string;
  readonly before?: (count: number) => string;
}

/** What became of `changed` animals, and of those that had the wanted value before. */
export function doneText(kind: BulkKind, changed: number, before: number): string {
  return [kind.done(changed), before > 0 && kind.before?.(before)].filter(Boolean).join(' ');
}

export const bulkKinds = {
  setTo: (status: PetStatus) => ({
    running: (count: number) => `Setting ${animals(count)} to ${statusName(status)}`,
    done: (count: number) => `${animalsWere(count)} set to ${statusName(status)}.`,
    before: (count: number) => `${animalsWere(count)} ${statusName(status)} before.`,
  }),
  move: {
    running: (count: number) => `Moving ${animals(count)} to another category`,
    done: (count: number) => `${animalsWere(count)} moved to another category.`,
    before: (count: number) => `${animalsWere(count)} in it before.`,
  },
  delete: {
    running: (count: number) => `Deleting ${animals(count)}`,
    done: (count: number) => `${animalsWere(count)} deleted.`,
  },
  undo: {
    running: (count: number) => `Undoing the change of ${animals(count)}`,
    done: (count: number) => `The change of ${animals(count)} was undone.`,
  },
  undoDelete: {
    running: (count: number) => `Adding ${animals(count)} again`,
    done: (count: number) =>
      pluralize(count, {
        one: '# animal was added again, with a new number.',
        other: `${animalsWere(count)} added again, with new numbers.`,
      }),
  },
};

/** The progress and the result of a change of many animals. */
export const workTexts = {
  progress: (done: number, count: number) => `${localCount(done)} of ${localCount(count)} done…`,
  waiting: 'Waiting for the server…',
  stop: 'Stop',
  stopping: 'Stopping…',
  notDone: (count: number) => `${animalsWere(count)} not changed: the change was stopped.`,
  notDoneBecause: (count: number, reason: string) => `${animalsWere(count)} not changed. ${reason}`,
  refused: (count: number) => `${animalsWere(count)} not changed:`,
  refusal: (pet: NamedAnimal, reason: string) => `${animalName(pet)}: ${reason}`,
  showAll: (count: number) => `Show ${localCount(count)} more`,
  changedSince: (status: PetStatus) =>
    `Another user has changed it since you selected it, and it is ${statusName(status)} now.`,
  changedAgain: (status: PetStatus) =>
    `It was changed again since, and it is ${statusName(status)} now.`,
  gone: 'It was deleted.',
  unanswered: 'The server did not answer. It may have been changed.',
  leave: {
    title: 'Stop the change of the selected animals?',
    hint: 'Animals that are changed already stay changed.',
    yes: 'Stop',
  },
};
