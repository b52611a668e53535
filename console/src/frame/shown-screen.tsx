import { useLayoutEffect, useRef } from 'preact/hooks';
import { AnimalPage } from '../animal/animal-page.tsx';
import { NoAnimal } from '../animal/no-animal.tsx';
import { listQueries, route, type Screen } from '../route.ts';
import { isWide } from '../tables/media.ts';
import { texts } from '../texts/animal.ts';
import { screenTable } from './screens.ts';

/**
 * A screen, or the page of an animal, which has room beside a list in a wide window. The list that led to the page stays as it is until
 * the user comes back to it.
 */
export function ShownScreen({ screen }: { readonly screen: Screen }) {
  const { record, recordId } = route.value;
  const isAnimal = screen === 'animals' && record !== undefined;
  const shown = useRef<Screen | undefined>(undefined);
  const list = useRef<HTMLDivElement>(null);
  if (!isAnimal) shown.current = screen;
  // A modal dialog that is hidden would still block the page.
  else if (list.current === null || list.current.querySelector('dialog')) shown.current = undefined;
  const isBeside = isAnimal && isWide.value;
  if (isBeside) shown.current ??= 'animals';
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const active = document.activeElement;
    // Beside its list, a page is replaced by that of another link.
    if (isAnimal) opener.current = list.current?.contains(active) ? active : opener.current;
    else if (opener.current instanceof HTMLElement) {
      const { current } = opener;
      opener.current = null;
      // After the title, which has the focus on each other screen.
      queueMicrotask(() => current.focus({ preventScroll: true }));
    }
  }, [isAnimal, record]);
  const { current } = shown;
  const { Show } = screenTable[current ?? screen];
  return (
    <>
      {current !== undefined &&
        (current in listQueries ? (
          <div key={current} ref={list} class="kept" hidden={isAnimal && !isBeside}>
            <Show />
          </div>
        ) : (
          <Show key={current} />
        ))}
      {isAnimal &&
        (recordId === undefined ? (
          <NoAnimal title={texts.noNumber(record)} />
        ) : (
          <AnimalPage key={record} id={recordId} />
        ))}
    </>
  );
}
