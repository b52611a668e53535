// Apart from the schemas, so that the thread that writes need not load what checks them.

export const petStatuses = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof petStatuses)[number];

/** What an animal is when its creator does not say. */
export const defaultPetStatus: PetStatus = 'available';
