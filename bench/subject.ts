import { filterTag, formatCursor } from '../src/http/operations/list-page.ts';
import type { TestAnimals } from './test-animals.ts';
import type { RunningServer, Workbench } from './workbench.ts';

/** The paths of a server for the same requests, with their queries. */
export interface Dialect {
  /** Where animals are added. */
  readonly collection: string;
  /** The newest page of 20. */
  list(): string;
  /** The page of 20 below an id. */
  listBelow(id: number, status?: string, category?: number): string;
  single(id: number): string;
}

/** A server that can be measured. */
export interface Subject {
  readonly dialect: Dialect;
  /** What it does not have, compared with ours. */
  readonly lacks: string;
  start(workbench: Workbench, animals: TestAnimals): Promise<RunningServer>;
}

export const animalStoreDialect: Dialect = {
  collection: '/v1/pets',
  list: () => `/v1/pets?limit=20`,
  listBelow(id, status, category) {
    const categoryId = category === undefined ? undefined : BigInt(category + 1);
    const filter = { status, id: undefined, categoryId };
    const cursor = formatCursor({ afterId: BigInt(id), filterTag: filterTag(filter) });
    const query = Object.entries({ status, categoryId, cursor })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `&${name}=${value}`);
    return `/v1/pets?limit=20${query.join('')}`;
  },
  single: (id) => `/v1/pets/${id}`,
};
