/** The page of one animal. */
export const texts = {
  title: (id: bigint) => `Animal ${id}`,
  titleAfterName: (id: bigint) => `(animal ${id})`,
  noNumber: (text: string) => `“${text}” is not the number of an animal`,
  none: (id: bigint) => `No animal has the number ${id}`,
  toList: 'Show all animals',
  readFailed: 'The animal cannot be read',
  members: 'Details',
} as const;
