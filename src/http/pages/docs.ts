import iconPath from 'swagger-ui-dist/favicon-32x32.png' with { type: 'file' };
import stylePath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundlePath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import { answerFile, prepareFile } from '../answer/answer-file.ts';
import { basePath, type PublicUrls } from '../public-urls.ts';
import type { Endpoint, RequestContext, Responder } from '../request-context.ts';
import hostStylePath from './docs/host.css' with { type: 'file' };
import hostScriptPath from './docs/host.js' with { type: 'file' };
import pageStylePath from './docs/page.css' with { type: 'file' };
import pageScriptPath from './docs/page.js' with { type: 'file' };
import pluginsPath from './docs/plugins.js' with { type: 'file' };
import throughHostPath from './docs/through-host.js' with { type: 'file' };
import { writePage } from './style.ts';

// Two pages, because Swagger UI is 1.7 MB of other people's code on the origin of the console. It runs in a sandboxed frame,
// which has an origin of its own and no connections. The page around it sends the requests, without cookies.

const hostPage = writePage(
  'Animal Store Service',
  `<link rel="icon" type="image/png" href="docs/favicon.png">
<link rel="stylesheet" href="docs/host.css">
<script type="module" src="docs/host.js"></script>`,
  `<nav><a href=".">Animal Store</a></nav>
<noscript>This page needs JavaScript. The OpenAPI document is <a href="openapi.yaml">openapi.yaml</a>.</noscript>`,
);

const referencePage = writePage(
  'API reference',
  `<link rel="stylesheet" href="swagger-ui.css">
<link rel="stylesheet" href="page.css">
<script defer src="swagger-ui-bundle.js"></script>
<script type="module" src="page.js"></script>`,
  '<div id="swagger-ui"></div>',
);

const script = 'text/javascript; charset=utf-8';
const style = 'text/css; charset=utf-8';

/** The files that the pages load. Those of swagger-ui-dist come from the installed package. */
const assets = [
  { path: '/docs/favicon.png', type: 'image/png', file: iconPath },
  { path: '/docs/host.css', type: style, file: hostStylePath },
  { path: '/docs/host.js', type: script, file: hostScriptPath },
  { path: '/docs/swagger-ui.css', type: style, file: stylePath },
  { path: '/docs/page.css', type: style, file: pageStylePath },
  { path: '/docs/swagger-ui-bundle.js', type: script, file: bundlePath },
  { path: '/docs/page.js', type: script, file: pageScriptPath },
  { path: '/docs/plugins.js', type: script, file: pluginsPath },
  { path: '/docs/through-host.js', type: script, file: throughHostPath },
] as const;

/** `/docs`: a reference page that can call this service. */
export function docsEndpoints(publicUrls: PublicUrls): Endpoint[] {
  const pageHeaders = {
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
  };
  const answerHost: Responder = (context) => {
    const policy = hostPolicy(publicUrls, context);
    const headers = { ...pageHeaders, 'content-security-policy': policy };
    return prepareFile(headers, hostPage)(context.request.headers);
  };
  const referenceHeaders = { ...pageHeaders, 'content-security-policy': referencePolicy };
  return [
    { method: 'GET', path: '/docs', respond: answerHost },
    {
      method: 'GET',
      path: '/docs/reference',
      respond: answerFile(referenceHeaders, () => referencePage),
    },
    ...assets.map(({ path, type, file }) => ({
      method: 'GET',
      path,
      // The frame's modules are of another origin than the frame. They are public, so --cors-origins does not apply.
      respond: answerFile({ 'content-type': type, 'access-control-allow-origin': '*' }, () =>
        Bun.file(file).bytes(),
      ),
    })),
  ];
}

/** Allows connections to the operations and the document alone, and so none to the endpoints of the console. */
function hostPolicy(publicUrls: PublicUrls, { baseUrl, target }: RequestContext): string {
  const here = `${target.origin}${basePath}`;
  const baseUrls = new Set([here, baseUrl, ...Object.values(publicUrls)]);
  const documents = [here, baseUrl].map((url) => `${url.slice(0, -basePath.length)}/openapi.json`);
  const addresses = new Set([...[...baseUrls].map((url) => `${url}/`), ...documents]);
  // A policy cannot name a host by its IPv6 address.
  const connections = new Set([...addresses].map((url) => (url.includes('[') ? "'self'" : url)));
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "frame-src 'self'",
    `connect-src ${[...connections].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/**
 * The frame loads only files of this origin, and images in `data:` URLs of Swagger UI's style sheet. It connects to nothing. Links
 * open as separate pages, which are not sandboxed.
 */
const referencePolicy = [
  'sandbox allow-scripts allow-forms allow-downloads allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');
