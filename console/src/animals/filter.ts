import type { Pet } from '../../../client/src/contract.ts';
import { hasSeenCharacter, nameLengthMax } from '../../../src/domain/name.ts';
import { petStatuses } from '../../../src/domain/pet.ts';
import { createSearch } from '../../../src/domain/search.ts';
import { parseInteger } from '../api/integer.ts';
import type { Query } from '../route.ts';

export type Filter = ReturnType<typeof readFilter>;

/** Whether an animal matches a filter. */
export type Match = ReturnType<typeof createMatch>;

export function readFilter(query: URLSearchParams) {
  const text = query.get('name')?.slice(0, nameLengthMax).trim() ?? '';
  const name = hasSeenCharacter(text) ? text : undefined;
  return {
    status: petStatuses.find((status) => status === query.get('status')),
    name,
    /** The animal of this number is found as well. */
    id: parseInteger(name?.replace(/^#/, '') ?? ''),
    categoryId: parseInteger(query.get('category') ?? ''),
  };
}

export type Order = 'newest' | 'oldest';

export function readOrder(query: URLSearchParams): Order {
  return query.get('sort') === 'oldest' ? 'oldest' : 'newest';
}

/** The query of the address that shows a list. */
export function queryOf({ status, name, categoryId }: Filter, order?: string): Query {
  const sort = order === 'oldest' ? order : undefined;
  return { status, name, category: categoryId?.toString(), sort };
}

/** Whether no filter is set but the status, by which the server counts animals. */
export function isCounted({ status, ...others }: Filter): boolean {
  return Object.values(others).every((value) => value === undefined);
}

type Filtered = Pick<Pet, 'id' | 'status' | 'name' | 'categoryId'>;

/** What filters compare, as it was before an update. */
export function filteredBefore(
  pet: Pet,
  previous: { readonly [Name in 'status' | 'name' | 'categoryId']?: Pet[Name] | null } = {},
): Filtered {
  return {
    id: pet.id,
    status: previous.status ?? pet.status,
    name: previous.name ?? pet.name,
    categoryId: previous.categoryId ?? pet.categoryId,
  };
}

export function createMatch({ status, name, id, categoryId }: Filter): (pet: Filtered) => boolean {
  const isFound = name === undefined ? () => true : createSearch(name);
  return (pet) =>
    (status === undefined || pet.status === status) &&
    (categoryId === undefined || pet.categoryId === categoryId) &&
    (pet.id === id || isFound(pet.name));
}
