import { animalName, type NamedAnimal } from './animals.ts';
import { isolate } from './short-name.ts';

/** The page of one animal. */
export const texts = {
  title: (id: bigint) => `Animal ${id}`,
  noNumber: (text: string) => `“${text}” is not the number of an animal`,
  none: (id: bigint) => `No animal has the number ${id}`,
  back: 'Back to the list',
  readFailed: 'The animal cannot be read',
  deleted: 'This animal was deleted. These were its last values.',
  addAgain: 'Add it again',
  addAgainHint: 'It gets a new number. Its history and its orders stay here.',
  members: 'Details',
};

/** An animal that is reserved without an order, for example since its import. */
export const releaseTexts = {
  /** Writes down for whom it is. */
  name: 'Write down for whom',
  question: (name: string) => `Cancel the reservation of ${name}?`,
  hint: 'The animal is reserved without an order. It becomes available again.',
  done: (name: string) => `${name} is available again.`,
};

/** The orders of the animal. */
export const orderTexts = {
  title: 'Orders',
  none: 'No orders',
  notAllowed: 'Your key has no access to orders.',
  order: (id: bigint) => `Order ${id}`,
  readFailed: 'The orders cannot be read',
};

/** What happened to the animal and its orders. */
export const historyTexts = {
  title: 'History',
  none: 'No changes are known.',
  notAllowed: 'Your key has no access to events, so no history is shown.',
  setBack: (value: string) => `Set back to ${isolate(value)}`,
  setBackLabel: (value: string, member: string, time: string) =>
    `Set back to ${isolate(value)} (${member} before ${time})`,
  wasSetBack: (pet: NamedAnimal, member: string, value: string) =>
    `The ${member} of ${animalName(pet)} is ${isolate(value)} again.`,
};
