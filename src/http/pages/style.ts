import stylePath from '../../console/console.css' with { type: 'file' };
import { answerFile } from '../answer/file-answer.ts';
import type { Responder } from '../request-context.ts';
import type { Endpoint } from '../router.ts';

// Beside the console, and not below it: the start page looks like it also where there is no console.

/** Of the pages of this service, as they are addressed from these. */
export const pageHead = (title: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="icon.svg">
<link rel="stylesheet" href="console.css">
`;

/** What the console and the start page look like. */
export function styleEndpoints(): Endpoint<Responder>[] {
  return [
    {
      method: 'GET',
      path: '/console.css',
      value: answerFile({ 'content-type': 'text/css; charset=utf-8' }, () =>
        Bun.file(stylePath).bytes(),
      ),
    },
    {
      method: 'GET',
      path: '/icon.svg',
      value: answerFile({ 'content-type': 'image/svg+xml' }, () => icon),
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
