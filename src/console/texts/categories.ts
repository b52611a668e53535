/** The screen with the categories, and the choice of a category in other screens. */
export const texts = {
  hint: 'Each animal has one category.',
  add: 'Add a category',
  titleOf: (id: bigint) => `Category ${id}`,
  description: 'Description',
  descriptionHint: 'Optional',
  none: 'No categories yet',
  noneHint: 'Dogs, Cats and Rabbits are examples. You can also create one when you add an animal.',
  deleteQuestion: (name: string) => `Delete ${name}?`,
  deleteHint: (id: bigint) => `Its animals stay, and show the number ${id} instead of the name.`,
  nameTaken: (name: string, id: bigint) =>
    `Category ${name} (${id}) has this name already. Choose another name.`,
  changedByOthers: (name: string, description: string) =>
    `Another user has changed this category to: ${name}. ${description} Save again to replace it.`,
  choose: 'Choose a category',
  chooseFault: 'Choose a category.',
  new: 'New category…',
  newName: 'Name of the new category',
  newNameHint: 'Such as Dogs, or Rabbits',
  newNameTaken: (name: string) => `Category ${name} exists already. Choose it above.`,
  otherNumber: 'Another number…',
  number: 'Number of the category',
  numberFault: 'Enter the number of the category, such as 7.',
  deletedChoice: (id: string) => `${id} (deleted)`,
} as const;
