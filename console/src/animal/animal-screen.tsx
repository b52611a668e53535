import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAnimalDialogs } from '../animals/animal-dialogs.tsx';
import { Animals } from '../animals/animals.tsx';
import { route } from '../route.ts';
import { texts } from '../texts/animal.ts';
import { AnimalPage } from './animal-page.tsx';
import { NoAnimal } from './no-animal.tsx';

/** The list of animals, or the page of one. The list stays as it is until the user comes back to it. */
export function AnimalScreen() {
  const { record, recordId } = route.value;
  const isList = record === undefined;
  const wasListed = useRef(isList);
  wasListed.current ||= isList;
  const list = useRef<HTMLDivElement>(null);
  const dialogs = useAnimalDialogs();
  const { close } = dialogs;
  // The dialog of another animal would stay.
  useLayoutEffect(() => close, [record]);
  const opener = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const active = document.activeElement;
    if (!isList) opener.current = list.current?.contains(active) ? active : null;
    else if (opener.current instanceof HTMLElement) {
      const { current } = opener;
      // After the title, which has the focus on each other screen.
      queueMicrotask(() => current.focus({ preventScroll: true }));
    }
  }, [isList]);
  return (
    <>
      {wasListed.current && (
        <div ref={list} class="kept" hidden={!isList}>
          <Animals dialogs={dialogs} />
        </div>
      )}
      {record !== undefined &&
        (recordId === undefined ? (
          <NoAnimal title={texts.noNumber(record)} />
        ) : (
          <AnimalPage key={record} id={recordId} dialogs={dialogs} />
        ))}
      {dialogs.dialog}
    </>
  );
}
