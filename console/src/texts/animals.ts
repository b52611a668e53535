import type { PetStatus } from '../../../client/src/contract.ts';
import { countRecords, pluralize } from './local-count.ts';
import { isolate, shortName } from './short-name.ts';
import { statusName } from './status.ts';

/** The name may be unknown. */
export interface NamedAnimal {
  readonly id: bigint;
  readonly name?: string | undefined;
}

/** An animal in a sentence, a title or the label of a button. Two animals can have one name. */
export function animalName({ id, name }: NamedAnimal): string {
  return name === undefined ? `animal ${id}` : `${shortName(name)} ${numberAfterName(id)}`;
}

/** For a name that is an element of its own. */
export const numberAfterName = (id: bigint) => `(animal ${id})`;

/** The screen with the animals. */
export const texts = {
  deletedState: 'deleted',
  search: 'Search by name or number',
  searchShort: 'Name or number',
  sort: 'Sort',
  orders: { newest: 'Newest first', oldest: 'Oldest first' },
  allCategories: 'All categories',
  export: 'Export',
  exporting: 'Exporting…',
  exported: (count: number) =>
    pluralize(count, { one: '# animal exported.', other: '# animals exported.' }),
  selected: (count: number) => `${countRecords('pet', count)} selected`,
  noMatch: 'No animal matches',
  showAll: 'Show all animals',
  /** A text that no animal has can be that of a note, such as for whom an animal is reserved. */
  searchOrders: (text: string) => `Search orders for “${shortName(text)}”`,
};

/** A category with its number, or a new one. */
export const categoryTexts = {
  named: (name: string, id: string) => `${isolate(name)} (${id})`,
  new: (name: string) => `${isolate(name)} (new)`,
};

/** Adding, changing and deleting one animal. */
export const formTexts = {
  add: 'Add an animal',
  addSubmit: 'Add',
  adding: 'Adding…',
  added: (pet: NamedAnimal) => `${animalName(pet)} was added.`,
  deleteQuestion: (pet: NamedAnimal) => `Delete ${animalName(pet)}?`,
  deleteHint: 'Its number is never used again.',
  notDeleted: 'Another user has changed this animal. Check it before you delete it.',
};

/** Says that another user has changed or deleted an animal. */
export function refusalOf(shown: NamedAnimal, now: NamedAnimal | undefined): string {
  if (now === undefined) return saleTexts.deleted(animalName(shown));
  return `Another user has changed ${animalName(now)}. Your change was not saved.`;
}

/** What an empty catalogue shows. */
export const firstStepTexts = {
  title: 'No animals yet',
  hint: 'The animals appear here, with the status available, reserved or sold.',
  add: 'Add the first animal',
  addHint: 'An animal needs a name and a category.',
  import: 'Import a spreadsheet',
  importHint: 'The page shows all rows before it adds animals.',
  createKey: 'Create a key for your website',
  createKeyHint: 'A program with this key reads and changes the same animals.',
  readOnly: 'Your key can read animals, but not add any.',
};

/** Selling and reserving. */
export const saleTexts = {
  sell: {
    action: 'Sell',
    letter: 'S',
    /** In the dialog of a reservation. */
    now: 'Sell now',
    question: (animal: string) => `Sell ${animal}?`,
    yes: 'Sell',
    hint: 'The animal becomes sold, and its order is handed over at once.',
    done: (animal: string, orderId: bigint) => `${animal} is sold: order ${orderId}.`,
  },
  reserve: {
    action: 'Reserve',
    letter: 'R',
    question: (animal: string) => `Reserve ${animal}?`,
    yes: 'Reserve',
    hint: 'The animal is reserved until it is handed over or the reservation is cancelled.',
    done: (animal: string, orderId: bigint) => `${animal} is reserved: order ${orderId}.`,
  },
  unavailable: (animal: string) => `${animal} is not available any more.`,
  isNow: (animal: string, status: PetStatus) =>
    status === 'available'
      ? `${animal} is available again. Try again.`
      : `${animal} is not available any more. It is ${statusName(status)} now.`,
  deleted: (animal: string) => `Another user has deleted ${animal}.`,
};
