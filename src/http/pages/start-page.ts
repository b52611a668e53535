import type { Environment } from '../../domain/access/api-key.ts';
import { prepareFile } from '../answer/answer-file.ts';
import type { CheckHealth } from '../health.ts';
import type { Endpoint } from '../request-context.ts';
import { styleLinks, writePage } from './style.ts';

interface StartPageOptions {
  readonly environment: Environment;
  readonly hasConsole: boolean;
  readonly checkHealth: CheckHealth;
}

const environments = {
  production: 'This is the production environment.',
  staging: 'This is the staging environment, for tests, with data and keys of its own.',
} as const satisfies Record<Environment, string>;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** `/`: the state of the service, and links. */
export function startPageEndpoint(options: StartPageOptions): Endpoint {
  return {
    method: 'GET',
    path: '/',
    async respond(context) {
      const failure = await options.checkHealth(context, 'all');
      return prepareFile(
        headers,
        describeService(options, failure?.message),
      )(context.request.headers);
    },
  };
}

/** Nothing in it comes from a request. */
function describeService(
  { environment, hasConsole }: StartPageOptions,
  fault: string | undefined,
): string {
  const consoleItem =
    '<li><a href="console">Console</a>: look after animals and orders in the browser</li>\n';
  const body = `<main>
<h1>Animal Store</h1>
<p>A catalogue of animals, over HTTP and JSON. ${environments[environment]}</p>
<p role="status">${fault === undefined ? 'The service is ready.' : `The service is not ready: ${fault}.`}</p>
<ul>
${hasConsole ? consoleItem : ''}<li><a href="docs">API reference</a>: every operation, to read and to try</li>
<li><a href="openapi.yaml">openapi.yaml</a>: the OpenAPI document, for programs</li>
</ul>
</main>`;
  return writePage('Animal Store', styleLinks(), body, { body: ' class="start"' });
}
