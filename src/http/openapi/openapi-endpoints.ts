import { type Environment, environments } from '../../domain/access/api-key.ts';
import { makeOnce, prepareFile } from '../answer/answer-file.ts';
import type { Operation } from '../operation.ts';
import type { PublicUrls } from '../public-urls.ts';
import type { Endpoint, Responder } from '../request-context.ts';
import type { DocumentServer } from './openapi.ts';

/** `/openapi.json` and `/openapi.yaml`: the published contract, with the addresses this run knows. */
export function documentEndpoints(
  operations: readonly Operation[],
  environment: Environment,
  publicUrls: PublicUrls,
): Endpoint[] {
  // Few runs need the code that writes the document, so the first request loads it.
  const describe = makeOnce(async () => {
    const { describeOperations } = await import('./openapi.ts');
    return describeOperations(operations);
  });

  function endpoint(path: string, mediaType: string, write: 'toJson' | 'toYaml') {
    // The document names the address of the request. Most servers have one address, for which it is compressed. Anybody can send
    // others, for which that would cost milliseconds each time.
    let kept:
      | { readonly baseUrl: string; readonly choose: ReturnType<typeof prepareFile> }
      | undefined;
    const headers = { 'content-type': mediaType };
    const respond: Responder = async ({ request, baseUrl }) => {
      if (kept?.baseUrl === baseUrl) return kept.choose(request.headers);
      const body = (await describe())[write](listServers(environment, publicUrls, baseUrl));
      if (kept !== undefined) {
        const always = { ...headers, 'cache-control': 'no-cache', vary: 'Accept-Encoding' };
        return { httpStatus: 200, headers: always, body };
      }
      kept = { baseUrl, choose: prepareFile(headers, body) };
      return kept.choose(request.headers);
    };
    return { method: 'GET', path, respond };
  }

  return [
    endpoint('/openapi.json', 'application/json', 'toJson'),
    endpoint('/openapi.yaml', 'application/yaml', 'toYaml'),
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
