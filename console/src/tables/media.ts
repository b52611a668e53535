import { type ReadonlySignal, signal } from '@preact/signals';

/** Whether a condition of the window holds. */
function watchMedia(condition: string): ReadonlySignal<boolean> {
  const media = matchMedia(condition);
  const matches = signal(media.matches);
  media.addEventListener('change', () => {
    matches.value = media.matches;
  });
  return matches;
}

/** A row takes several lines at this width; style/narrow.css has the same. */
export const isNarrow = watchMedia('(max-width: 45.99rem)');

/** The page of a record has room beside its list; style/history.css has the same. */
export const isWide = watchMedia('(min-width: 84rem)');

/** The targets of a finger are higher; style/touch.css has the same. A tablet can get a mouse. */
export const hasFingers = watchMedia('(pointer: coarse)');
