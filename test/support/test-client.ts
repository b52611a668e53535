import {
  type AnimalStore,
  type AnimalStoreOptions,
  createAnimalStore,
} from '../../client/src/index.ts';
import type { TestServer } from './test-server.ts';

/** The client of a real server. */
export function connectClient(
  { app, port }: TestServer,
  options: Partial<AnimalStoreOptions> = {},
): AnimalStore {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return createAnimalStore({ baseUrl, apiKey: app.apiKey, ...options });
}

/** `fetch` with a function between the client and the server. */
export function fetchThrough(
  send: (request: Request, next: (request: Request) => Promise<Response>) => Promise<Response>,
): typeof fetch {
  const through = (input: string | URL | Request, init?: RequestInit) =>
    send(new Request(String(input), init), (request) => fetch(request));
  return Object.assign(through, { preconnect: fetch.preconnect });
}

/** Loses the first response to each different request. */
export function loseFirstResponses(seen: Request[] = []): typeof fetch {
  const answered = new Set<string>();
  return fetchThrough(async (request, next) => {
    seen.push(request);
    const response = await next(request);
    const name = `${request.method} ${request.url} ${request.headers.get('idempotency-key')}`;
    if (answered.has(name)) return response;
    answered.add(name);
    throw new TypeError('The connection was cut');
  });
}
