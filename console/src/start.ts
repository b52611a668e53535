// Runs after the script of the console, which can be missing: its server may have been upgraded after it served the page.

import { mayReload } from './loading/reload-limit.ts';
import { startTexts } from './texts/common.ts';

const app = document.getElementById('app');
const isMissing = () => app?.childElementCount === 0;
const retryMilliseconds = 1000;

if (isMissing()) {
  setTimeout(() => {
    if (app === null || !isMissing()) return;
    if (mayReload()) location.reload();
    else app.textContent = startTexts.notStarted;
  }, retryMilliseconds);
}
