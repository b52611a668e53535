import basePath from '../../../console/src/style/base.css' with { type: 'file' };
import comboboxPath from '../../../console/src/style/combobox.css' with { type: 'file' };
import controlsPath from '../../../console/src/style/controls.css' with { type: 'file' };
import framePath from '../../../console/src/style/frame.css' with { type: 'file' };
import historyPath from '../../../console/src/style/history.css' with { type: 'file' };
import importPath from '../../../console/src/style/import.css' with { type: 'file' };
import menuPath from '../../../console/src/style/menu.css' with { type: 'file' };
import narrowPath from '../../../console/src/style/narrow.css' with { type: 'file' };
import printPath from '../../../console/src/style/print.css' with { type: 'file' };
import screensPath from '../../../console/src/style/screens.css' with { type: 'file' };
import sessionsPath from '../../../console/src/style/sessions.css' with { type: 'file' };
import tablesPath from '../../../console/src/style/tables.css' with { type: 'file' };
import touchPath from '../../../console/src/style/touch.css' with { type: 'file' };
import type { Answer } from '../answer/answer.ts';
import { answerFile, immutable, makeOnce, prepareFile } from '../answer/answer-file.ts';
import type { Failure } from '../failure.ts';
import type { Endpoint, RequestContext } from '../request-context.ts';

// Beside the console, and not below it: the start page has the same style, also if the console is turned off.

/** In this order: later rules override earlier ones. */
const stylePaths = [
  ...[
    basePath,
    controlsPath,
    menuPath,
    comboboxPath,
    framePath,
    tablesPath,
    screensPath,
    historyPath,
    importPath,
  ],
  ...[sessionsPath, narrowPath, touchPath, printPath],
];

const type = { 'content-type': 'text/css; charset=utf-8' };

const loadStyle = makeOnce(async () => {
  const texts = await Promise.all(stylePaths.map((path) => Bun.file(path).text()));
  const style = texts.map(shorten).join('');
  return {
    version: Bun.SHA256.hash(style, 'hex').slice(0, 16),
    answerCurrent: prepareFile(type, style),
    answerForGood: prepareFile({ ...type, 'cache-control': immutable }, style),
  };
});

/** The address of the style for the console. Browsers keep it for good, because another version has another address. */
export async function styleAddress(): Promise<string> {
  return `console.css?v=${(await loadStyle()).version}`;
}

/** A server of another version has a style too, so that no page is without one during an upgrade. */
async function answerStyle({ request, target }: RequestContext): Promise<Answer | Failure> {
  const { version, answerCurrent, answerForGood } = await loadStyle();
  return (target.search === `v=${version}` ? answerForGood : answerCurrent)(request.headers);
}

/** Leaves out comments and white space, which are a quarter of the bytes in transfer. Quoted texts stay as they are. */
export function shorten(style: string): string {
  return style
    .replaceAll(/\/\*.*?\*\//gs, '')
    .split(/("[^"]*"|'[^']*')/)
    .map((part) =>
      /^["']/.test(part) ? part : part.replaceAll(/\s+/g, ' ').replaceAll(/ ?([{};,]) ?/g, '$1'),
    )
    .join('');
}

interface Attributes {
  readonly html?: string;
  readonly body?: string;
}

/** Writes a page. `links` are the lines of its head for what it loads, relative, for a proxy that adds a prefix to its path. */
export function writePage(title: string, links: string, body: string, attributes?: Attributes) {
  return `<!doctype html>
<html lang="en"${attributes?.html ?? ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
${links}
</head>
<body${attributes?.body ?? ''}>
${body}
</body>
</html>
`;
}

/** The icon and the style of the console and the start page. `above` leads from the page to the path of the service. */
export const styleLinks = (above = '') =>
  `<link rel="icon" type="image/svg+xml" href="${above}icon.svg">
<link rel="stylesheet" href="${above}console.css">`;

/** Serves them. */
export function styleEndpoints(): Endpoint[] {
  return [
    { method: 'GET', path: '/console.css', respond: answerStyle },
    {
      method: 'GET',
      path: '/icon.svg',
      respond: answerFile({ 'content-type': 'image/svg+xml' }, () => icon),
    },
  ];
}

/** A paw. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<g fill="#2f7d5b">
<ellipse cx="6" cy="14.5" rx="3" ry="4" transform="rotate(-20 6 14.5)"/>
<ellipse cx="12" cy="7.5" rx="3.2" ry="4.4" transform="rotate(-6 12 7.5)"/>
<ellipse cx="20" cy="7.5" rx="3.2" ry="4.4" transform="rotate(6 20 7.5)"/>
<ellipse cx="26" cy="14.5" rx="3" ry="4" transform="rotate(20 26 14.5)"/>
<path d="M16 14c4.4 0 8.6 4.7 8.6 9 0 3-2 4.6-4.4 4.6-1.7 0-2.7-.8-4.2-.8s-2.5.8-4.2.8c-2.4 0-4.4-1.6-4.4-4.6 0-4.3 4.2-9 8.6-9z"/>
</g>
</svg>
`;
