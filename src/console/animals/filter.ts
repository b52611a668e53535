import type { Pet } from '../../../client/src/contract.ts';
import { nameLengthMax } from '../../domain/name.ts';
import { petStatuses } from '../../domain/pet.ts';
import { createSearch } from '../../domain/search.ts';
import { parseInteger } from '../api/integer.ts';

export type Filter = ReturnType<typeof readFilter>;

/** Whether an animal matches a filter. */
export type Match = ReturnType<typeof createMatch>;

export function readFilter(query: URLSearchParams) {
  return {
    status: petStatuses.find((status) => status === query.get('status')),
    name: query.get('name')?.slice(0, nameLengthMax).trim() || undefined,
    categoryId: parseInteger(query.get('category') ?? ''),
  };
}

type Filtered = Pick<Pet, 'status' | 'name' | 'categoryId'>;

/** What filters compare, as it was before an update. */
export function filteredBefore(
  pet: Pet,
  previous: { readonly [Name in keyof Filtered]?: Filtered[Name] | null } = {},
): Filtered {
  return {
    status: previous.status ?? pet.status,
    name: previous.name ?? pet.name,
    categoryId: previous.categoryId ?? pet.categoryId,
  };
}

export function createMatch({ status, name, categoryId }: Filter): (pet: Filtered) => boolean {
  const isFound = name === undefined ? () => true : createSearch(name);
  return (pet) =>
    (status === undefined || pet.status === status) &&
    (categoryId === undefined || pet.categoryId === categoryId) &&
    isFound(pet.name);
}
