import type { Pet } from '../../../client/src/contract.ts';
import { animalName } from './animals.ts';
import { statusName } from './status.ts';

type NamedAnimal = Pick<Pet, 'id' | 'name'>;

/** What an Undo did, or why it did nothing. */
export const undoTexts = {
  changedBack: (pet: NamedAnimal) => `${animalName(pet)} is as it was before.`,
  addedAgain: (pet: NamedAnimal) => `${animalName(pet)} was added again, with a new number.`,
  changedAgain: ({ status }: Pick<Pet, 'status'>) =>
    `The animal was changed again since, and it is ${statusName(status)} now.`,
  gone: 'The animal was deleted since.',
} as const;
