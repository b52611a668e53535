import { type Environment, environments } from '../domain/api-key.ts';
import type { PublicUrls, Responder } from './app.ts';
import type { DocumentServer } from './openapi.ts';
import type { Endpoint } from './router.ts';

/** `/openapi.json` and `/openapi.yaml`: the published contract, with the addresses this run knows. */
export function documentEndpoints(
  environment: Environment,
  publicUrls: PublicUrls,
): Endpoint<Responder>[] {
  const headers = { 'cache-control': 'no-cache' };
  const serversFor = (ownUrl: string) => listServers(environment, publicUrls, ownUrl);
  // What writes the document is needed by few runs and few requests: it is loaded by the first of these.
  const load = () => import('./openapi.ts');
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      value: async ({ baseUrl }) => ({
        httpStatus: 200,
        headers: { ...headers, 'content-type': 'application/json' },
        body: (await load()).documentJson(serversFor(baseUrl)),
      }),
    },
    {
      method: 'GET',
      path: '/openapi.yaml',
      value: async ({ baseUrl }) => ({
        httpStatus: 200,
        headers: { ...headers, 'content-type': 'application/yaml' },
        body: (await load()).documentYaml(serversFor(baseUrl)),
      }),
    },
  ];
}

/** The environments whose addresses are known, the run's own first. */
function listServers(
  environment: Environment,
  publicUrls: PublicUrls,
  ownUrl: string,
): DocumentServer[] {
  const others = environments.filter((other) => other !== environment);
  return [environment, ...others].flatMap((name) => {
    const url = name === environment ? ownUrl : publicUrls[name];
    return url === undefined ? [] : [{ url, environment: name }];
  });
}
