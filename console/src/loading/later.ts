import { createLater } from './create-later.ts';
import { reloadPage } from './reload.ts';

/** Parts of the page that are loaded when they are first used, and all of them in the background. */
export const { later, loadAll } = createLater({
  rest: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  recover: reloadPage,
});
