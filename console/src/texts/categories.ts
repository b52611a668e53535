import { pluralize } from './local-count.ts';
import { isolate, shortName } from './short-name.ts';

function countAnimals(animals: { count: number; isMore: boolean } | undefined): string {
  if (animals === undefined) return 'Its animals stay,';
  const { count, isMore } = animals;
  return isMore
    ? pluralize(count, { one: 'More than # animal stay,', other: 'More than # animals stay,' })
    : pluralize(count, { one: 'One animal stays,', other: '# animals stay,' });
}

/** What another user has made of a category. The description can be empty. */
function changedTo(name: string, description: string): string {
  const values = [`${shortName(name)}.`, description && isolate(description)];
  return `Another user has changed this category to: ${values.filter(Boolean).join(' ')}`;
}

/** The screen with the categories, and the choice of a category in other screens. */
export const texts = {
  hint: 'Each animal has one category.',
  add: 'Add a category',
  titleOf: (id: bigint) => `Category ${id}`,
  named: (name: string, id: bigint) => `Category ${shortName(name)} (${id})`,
  withoutName: 'without a name',
  unnamed: (id: string) => `${id} (without a name)`,
  giveName: 'Give a name',
  giveNameOf: (id: bigint) => `Give a name to number ${id}`,
  numberHint:
    'Optional. Enter the number that animals have already, such as that of a deleted category.',
  numberTaken: (id: bigint) =>
    `Another category has the number ${id} already. Choose another number.`,
  readFailed: (reason: string) => `The categories could not be read. ${reason}`,
  description: 'Description',
  descriptionHint: 'Optional',
  none: 'No categories yet',
  noneHint: 'Dogs, Cats and Rabbits are examples. You can also create one when you add an animal.',
  deleteQuestion: (name: string, id: bigint) => `Delete category ${shortName(name)} (${id})?`,
  deleteHint: (id: bigint, animals: { count: number; isMore: boolean } | undefined) =>
    animals?.count === 0
      ? 'It has no animals.'
      : `${countAnimals(animals)} and show the number ${id} instead of the name. Later, a category can be added under this number again.`,
  gone: 'Another user has deleted this category.',
  changedBeforeDelete: (name: string, description: string) =>
    `${changedTo(name, description)} Press the button again to delete it.`,
  nameTaken: (name: string, id: bigint) =>
    `Category ${shortName(name)} (${id}) has this name already. Choose another name.`,
  changedByOthers: (name: string, description: string) =>
    `${changedTo(name, description)} Save again to replace it.`,
  choose: 'Choose a category',
  chooseFault: 'Choose a category.',
  chooseHint: 'Type to find one, or the name of a new one.',
  new: (name: string) => `New category: ${name}`,
  newNameTaken: (name: string) => `Category ${shortName(name)} exists already. Choose it.`,
  numberFault: 'Enter the number of the category, such as 7.',
};
