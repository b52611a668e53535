import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { addressOf } from '../../route.ts';
import { workTexts as texts } from '../../texts/import.ts';
import { stopImport, work } from './import-state.ts';

/** The heading of an import or its Undo. It gets the focus when the button that had it is gone. */
export function WorkHeading({ text }: { readonly text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [text]);
  return (
    <h2 ref={heading} tabIndex={-1}>
      {text}
    </h2>
  );
}

/** The last button stops, continues or leaves. No button that removes something is ever at its place. */
export function WorkButton({ onContinue }: { readonly onContinue: () => void }) {
  const { state } = work.value;
  if (state === 'done') {
    return (
      <a class="button main" href={addressOf('animals')}>
        {texts.showAnimals}
      </a>
    );
  }
  const isStopped = state === 'stopped';
  return (
    <Button
      key={isStopped ? 'continue' : 'stop'}
      kind={isStopped ? 'main' : 'plain'}
      disabled={state === 'stopping'}
      onClick={isStopped ? onContinue : stopImport}
    >
      {isStopped ? texts.continue : texts.stop}
    </Button>
  );
}
