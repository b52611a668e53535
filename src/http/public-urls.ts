import type { Environment } from '../domain/api-key.ts';

/** Stands before the path of every operation. */
export const basePath = '/v1';

/** The public addresses that are known, each ending in `/v1`. */
export type PublicUrls = Readonly<Partial<Record<Environment, string>>>;
