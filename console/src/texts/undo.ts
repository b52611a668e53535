import type { Pet } from '../../../client/src/contract.ts';
import { animalName, type NamedAnimal } from './animals.ts';
import { pluralize } from './local-count.ts';
import { shortName } from './short-name.ts';
import { statusName } from './status.ts';

/** What an Undo did, or why it did nothing. */
export const undoTexts = {
  changedBack: (pet: NamedAnimal) => `${animalName(pet)} is as it was before.`,
  addedAgain: (pet: NamedAnimal) => `${animalName(pet)} was added again, with a new number.`,
  changedAgain: ({ status }: Pick<Pet, 'status'>) =>
    `The animal was changed again since, and it is ${statusName(status)} now.`,
  gone: 'The animal was deleted since.',
};

/** After a sale, a reservation, its end, or a hand-over. `animal` is its name and number. */
export const orderUndoTexts = {
  saleUndone: (animal: string, id: bigint) =>
    `${animal} is available again. Order ${id} stays handed over.`,
  handOverUndone: (animal: string, id: bigint, newId: bigint) =>
    `${animal} is reserved again: order ${newId}. Order ${id} stays handed over.`,
  reservationUndone: (animal: string) => `${animal} is no longer reserved.`,
  cancellationUndone: (animal: string, newId: bigint) =>
    `${animal} is reserved again: order ${newId}.`,
  editUndone: (order: string) => `Changed back: ${order}.`,
  orderChanged: (status: string) =>
    `The order was changed again since, and it is ${statusName(status)} now.`,
};

export const categoryUndoTexts = {
  changedBack: (category: string) => `${category} is as it was before.`,
  addedAgain: (category: string) => `${category} was added again, with the same number.`,
  changedAgain: 'The category was changed again since.',
  nameTaken: (name: string, id: bigint) => `Category ${shortName(name)} (${id}) has this name now.`,
};

const minutesAgo = { one: '# minute ago', other: '# minutes ago' };
const hoursAgo = { one: '# hour ago', other: '# hours ago' };

/** Messages at the end of the page, and the menu that they are folded into. */
export const noticeTexts = {
  undo: 'Undo',
  undoing: 'Undoing…',
  undoOf: (text: string) => `Undo: ${text}`,
  /** The menu of the changes whose messages are folded. */
  undoMenu: 'Undo…',
  undoHint: 'Take back one of these changes:',
  ago: (milliseconds: number) => {
    const minutes = Math.floor(milliseconds / 60_000);
    if (minutes < 1) return 'just now';
    if (minutes < 60) return pluralize(minutes, minutesAgo);
    return pluralize(Math.floor(minutes / 60), hoursAgo);
  },
  tookBack: (text: string, done: string) => `Undone: “${text}” ${done}`,
  notUndone: (text: string, reason: string) => `“${text}” was not undone. ${reason}`,
};
