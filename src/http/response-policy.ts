import { createToResponse } from './answer/to-response.ts';
import { type Cors, type CorsOrigins, createCors, noCors } from './cors.ts';
import { consolePath } from './public-urls.ts';

/** What answers to other sites carry, and those below the console, which are for its own page alone. */
export interface ResponsePolicy {
  readonly cors: Cors;
  readonly toResponse: ReturnType<typeof createToResponse>;
}

const noSniff = { 'x-content-type-options': 'nosniff' } as const;

export function createSurfaces(corsOrigins: CorsOrigins): (path: string) => ResponsePolicy {
  const cors = createCors(corsOrigins);
  const open: ResponsePolicy = {
    cors,
    toResponse: createToResponse({ ...noSniff, ...cors.always }),
  };
  const own: ResponsePolicy = {
    cors: noCors,
    toResponse: createToResponse({ ...noSniff, 'cache-control': 'no-store' }),
  };
  const below = `${consolePath}/`;
  return (path) => (path.startsWith(below) || path === consolePath ? own : open);
}
