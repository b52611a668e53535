import iconPath from 'swagger-ui-dist/favicon-32x32.png' with { type: 'file' };
import stylePath from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundlePath from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import exactNumbersPath from './docs/exact-numbers.js' with { type: 'file' };
import pageStylePath from './docs/page.css' with { type: 'file' };
import pageScriptPath from './docs/page.js' with { type: 'file' };
import parameterFieldsPath from './docs/parameter-fields.js' with { type: 'file' };
import type { PublicUrls } from './public-urls.ts';
import type { Responder } from './request-context.ts';
import type { Endpoint } from './router.ts';

/** Relative addresses, so that the page also works where a proxy puts a prefix before its path. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Animal Store Service</title>
<link rel="icon" type="image/png" href="docs/favicon.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
<script defer src="docs/swagger-ui-bundle.js"></script>
<script type="module" src="docs/page.js"></script>
</head>
<body>
<nav><a href=".">Animal Store</a></nav>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The OpenAPI document is <a href="openapi.yaml">openapi.yaml</a>.</noscript>
</body>
</html>
`;

/** What the page loads, by its path; the files of swagger-ui-dist come from the installed package. */
const assets = [
  { path: '/docs/favicon.png', type: 'image/png', file: iconPath },
  { path: '/docs/swagger-ui.css', type: 'text/css; charset=utf-8', file: stylePath },
  { path: '/docs/page.css', type: 'text/css; charset=utf-8', file: pageStylePath },
  { path: '/docs/swagger-ui-bundle.js', type: 'text/javascript; charset=utf-8', file: bundlePath },
  { path: '/docs/page.js', type: 'text/javascript; charset=utf-8', file: pageScriptPath },
  {
    path: '/docs/exact-numbers.js',
    type: 'text/javascript; charset=utf-8',
    file: exactNumbersPath,
  },
  {
    path: '/docs/parameter-fields.js',
    type: 'text/javascript; charset=utf-8',
    file: parameterFieldsPath,
  },
] as const;

/** `/docs`: the document as a page, with a console that calls this service. */
export function docsEndpoints(publicUrls: PublicUrls): Endpoint<Responder>[] {
  const headers = { 'cache-control': 'no-cache' };
  const pageHeaders = {
    ...headers,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(publicUrls),
    'referrer-policy': 'no-referrer',
  };
  return [
    {
      method: 'GET',
      path: '/docs',
      value: () => ({ httpStatus: 200, headers: pageHeaders, body: page }),
    },
    ...assets.map(({ path, type, file }) => ({
      method: 'GET',
      path,
      // Read anew each time: the page is asked for seldom, and the bundle is too large to keep for that.
      value: async () => ({
        httpStatus: 200,
        headers: { ...headers, 'content-type': type },
        body: await Bun.file(file).bytes(),
      }),
    })),
  ];
}

/**
 * Nothing runs or loads that is not ours. The one exception is images written out as data: the arrows and marks in
 * Swagger UI's own style sheet.
 */
function contentSecurityPolicy(publicUrls: PublicUrls): string {
  const origins = Object.values(publicUrls).map((url) => new URL(url).origin);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...new Set(origins)].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
