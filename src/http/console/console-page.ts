import { answerFile } from '../answer/answer-file.ts';
import { styleLinks, writePage } from '../pages/style.ts';
import { consolePath } from '../public-urls.ts';
import type { Endpoint } from '../request-context.ts';
import { consoleScript, workbookReaderScript } from './bundle.ts';

const javaScript = 'text/javascript; charset=utf-8';

const page = writePage(
  'Animal Store',
  `${styleLinks}
<meta name="google" content="notranslate">
<script type="module" src="console/app.js"></script>`,
  `<div id="app"></div>
<noscript>The console needs JavaScript.</noscript>`,
  // Browsers that translate a page replace its texts, so that a later change of a status, a name or a count would not be shown.
  { html: ' translate="no"' },
);

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

/** The page of the console and its scripts. Without a session, the page shows only the sign-in. */
export function consolePageEndpoints(): Endpoint[] {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    // A page that opens this one cannot navigate it, for example to a link of its own.
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  };
  return [
    {
      method: 'GET',
      path: consolePath,
      respond: () => ({ httpStatus: 200, headers, body: page }),
    },
    {
      method: 'GET',
      path: `${consolePath}/app.js`,
      respond: answerFile({ 'content-type': javaScript }, consoleScript),
    },
    {
      method: 'GET',
      path: `${consolePath}/workbook-reader.js`,
      respond: answerFile(
        { 'content-type': javaScript, 'content-security-policy': readerSecurityPolicy },
        workbookReaderScript,
      ),
    },
  ];
}
