import { isWorkspaceName } from '../../domain/access/workspace.ts';
import { answerFile, immutable, makeOnce, prepareFile } from '../answer/answer-file.ts';
import { fail } from '../failure.ts';
import { styleAddress, styleLinks, writePage } from '../pages/style.ts';
import { consolePath } from '../public-urls.ts';
import type { Endpoint, Responder } from '../request-context.ts';
import { bundleConsole } from './bundle.ts';

const javaScript = 'text/javascript; charset=utf-8';

/** The page runs, loads and calls only its own origin. No text becomes HTML, and only one becomes a script: the address of the worker. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types workbook-reader',
].join('; ');

/** The worker that reads workbooks loads, calls and runs nothing else. */
const readerSecurityPolicy = [
  "default-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The scripts of this version, made when a browser first asks for one. */
const loadScripts = makeOnce(async () => {
  const { start, files } = await bundleConsole();
  const hash = new Bun.SHA256();
  for (const [name, script] of files) hash.update(`${name} `).update(script);
  return { digest: hash.digest('hex').slice(0, 16), start, files };
});

/** The page of the console and its scripts. Without a session, the page shows only the sign-in. */
export function consolePageEndpoints(): Endpoint[] {
  return [
    ...pages.map(([path, above]) => ({ method: 'GET', path, respond: pageResponder(above) })),
    {
      method: 'GET',
      path: `${consolePath}/start.js`,
      // Its name has no version, so that every server has it.
      respond: answerFile({ 'content-type': javaScript }, async () => (await loadScripts()).start),
    },
    {
      method: 'GET',
      path: `${consolePath}/scripts/{digest}/{name}`,
      respond: createScriptResponder(),
    },
  ];
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy,
  // A page that opens this one cannot navigate it, for example to a link of its own.
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** The paths of the page, and what leads from each to that of the service. */
const pages = [
  [consolePath, ''],
  // People type a slash after it, and some proxies add one.
  [`${consolePath}/`, '../'],
  [`${consolePath}/w/{workspace}`, '../../'],
  [`${consolePath}/w/{workspace}/`, '../../../'],
] as const;

function pageResponder(above: string): Responder {
  return async ({ pathParameters: { workspace = '' } }) => {
    const { digest } = await loadScripts();
    // The script asks for the session first. So it is on its way while the script is loaded.
    const session = isWorkspaceName(workspace)
      ? `<link rel="preload" as="fetch" crossorigin href="${above}console/v1/session?workspace=${workspace}">`
      : '';
    const page = writePage(
      'Animal Store',
      `${styleLinks(above).replace('console.css', await styleAddress())}
<meta name="google" content="notranslate">
${session}
<script type="module" src="${above}console/scripts/${digest}/app.js"></script>
<script type="module" src="${above}console/start.js"></script>`,
      `<div id="app"></div>
<noscript>The console needs JavaScript.</noscript>`,
      // Browsers that translate a page replace its texts, so that a later change of a status, a name or a count would not be shown.
      { html: ' translate="no"' },
    );
    return { httpStatus: 200, headers: pageHeaders, body: page };
  };
}

/** Serves the scripts of this version. Others have other digests, so that browsers keep each for good. */
function createScriptResponder(): Responder {
  const responders = new Map<string, ReturnType<typeof prepareFile>>();
  return async ({ request, pathParameters }) => {
    const { digest, files } = await loadScripts();
    const { name = '' } = pathParameters;
    const script = pathParameters.digest === digest ? files.get(name) : undefined;
    if (script === undefined) {
      return fail('route_not_found', 'This server has another version of the console');
    }
    const respond = responders.get(name) ?? prepareFile(headersOf(name), script);
    responders.set(name, respond);
    return respond(request.headers);
  };
}

function headersOf(name: string): Readonly<Record<string, string>> {
  const policy =
    name === 'workbook-reader.js' ? { 'content-security-policy': readerSecurityPolicy } : undefined;
  return {
    'content-type': javaScript,
    'cache-control': immutable,
    ...policy,
  };
}
