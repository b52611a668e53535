import { filterTag, formatCursor, limitDefault } from '../src/domain/page.ts';
import type { PetStatus } from '../src/domain/pet-status.ts';

/** How a server is asked for the same thing. */
export interface Dialect {
  /** Path of the animals. */
  readonly collection: string;
  /** The newest page of 20. */
  list(status?: PetStatus): string;
  /** The page of 20 below an id. */
  listBelow(id: number, status?: PetStatus): string;
}

export const animalStoreDialect: Dialect = {
  collection: '/v1/pets',
  list: (status) => `/v1/pets?limit=${limitDefault}${statusQuery(status)}`,
  listBelow(id, status) {
    const cursor = formatCursor({ belowId: BigInt(id), filterTag: filterTag({ status }) });
    return `/v1/pets?limit=${limitDefault}${statusQuery(status)}&cursor=${cursor}`;
  },
};

export const fastifyDialect: Dialect = {
  ...animalStoreDialect,
  listBelow: (id, status) => `/v1/pets?limit=${limitDefault}${statusQuery(status)}&cursor=${id}`,
};

const jsonServerPage = `/pets?_sort=id&_order=desc&_limit=${limitDefault}`;

export const jsonServerDialect: Dialect = {
  collection: '/pets',
  list: (status) => `${jsonServerPage}${statusQuery(status)}`,
  listBelow: (id, status) => `${jsonServerPage}&id_lte=${id - 1}${statusQuery(status)}`,
};

/** Serves the document without its base path. */
export const prismDialect: Dialect = {
  collection: '/pets',
  list: (status) => animalStoreDialect.list(status).replace('/v1', ''),
  listBelow: (id, status) => animalStoreDialect.listBelow(id, status).replace('/v1', ''),
};

function statusQuery(status: PetStatus | undefined): string {
  return status === undefined ? '' : `&status=${status}`;
}
