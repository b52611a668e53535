import { type Environment, environments } from '../../domain/access/api-key.ts';
import { prepareFile } from '../answer/file-answer.ts';
import type { Operation } from '../operation.ts';
import type { PublicUrls } from '../public-urls.ts';
import type { Responder } from '../request-context.ts';
import type { Endpoint } from '../router.ts';
import type { DocumentServer, PublishedDocument } from './openapi.ts';

/** `/openapi.json` and `/openapi.yaml`: the published contract, with the addresses this run knows. */
export function documentEndpoints(
  operations: readonly Operation[],
  environment: Environment,
  publicUrls: PublicUrls,
): Endpoint<Responder>[] {
  const serversFor = (ownUrl: string) => listServers(environment, publicUrls, ownUrl);
  let described: Promise<PublishedDocument> | undefined;
  // What writes the document is needed by few runs and few requests: it is loaded by the first of these.
  const document = async () => {
    described ??= import('./openapi.ts').then(({ describeOperations }) =>
      describeOperations(operations),
    );
    return described;
  };
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      value: answerAt('application/json', async (url) =>
        (await document()).toJson(serversFor(url)),
      ),
    },
    {
      method: 'GET',
      path: '/openapi.yaml',
      value: answerAt('application/yaml', async (url) =>
        (await document()).toYaml(serversFor(url)),
      ),
    },
  ];
}

/** The document names the address of the request. It is kept for one address: most servers have no other. */
function answerAt(mediaType: string, write: (baseUrl: string) => Promise<string>): Responder {
  let kept: { readonly baseUrl: string; readonly choose: ReturnType<typeof prepareFile> };
  return async ({ request, baseUrl }) => {
    if (kept?.baseUrl !== baseUrl) {
      const choose = prepareFile({ 'content-type': mediaType }, await write(baseUrl));
      kept = { baseUrl, choose };
    }
    return kept.choose(request.headers);
  };
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
