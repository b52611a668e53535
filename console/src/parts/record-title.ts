import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

interface RecordTitle {
  /** The name that a user gave it, if it is known. It is an element of its own, so that it cannot reorder the words around it. */
  readonly name?: string | undefined;
  readonly text: string;
}

/** The title of the page of one record. It takes the place of the title of its screen. */
export const recordTitle = signal<RecordTitle | undefined>(undefined);

export function useRecordTitle(text: string, name?: string): void {
  useLayoutEffect(() => {
    recordTitle.value = { name, text };
  }, [text, name]);
  useLayoutEffect(
    () => () => {
      recordTitle.value = undefined;
    },
    [],
  );
}
