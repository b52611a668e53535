import type { Pet } from '../../../client/src/contract.ts';
import { nameLengthMax } from '../../domain/name.ts';
import { petStatuses } from '../../domain/pet.ts';
import { comparableText } from '../../domain/search.ts';
import { parseInteger } from '../api/integer.ts';

export type Filter = ReturnType<typeof readFilter>;

export function readFilter(query: URLSearchParams) {
  return {
    status: petStatuses.find((status) => status === query.get('status')),
    name: query.get('name')?.slice(0, nameLengthMax) || undefined,
    categoryId: parseInteger(query.get('category') ?? ''),
  };
}

export function matches(pet: Pet, { status, name, categoryId }: Filter): boolean {
  return (
    (status === undefined || pet.status === status) &&
    (categoryId === undefined || pet.categoryId === categoryId) &&
    (name === undefined || comparableText(pet.name).includes(comparableText(name)))
  );
}
