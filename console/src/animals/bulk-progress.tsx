import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../parts/controls.tsx';
import { focusMain } from '../parts/focus.ts';
import { workTexts as texts } from '../texts/bulk.ts';
import { common } from '../texts/common.ts';
import { type BulkWork, bulkWork, dismissBulk, isChangingMany, stopBulk } from './bulk-run.ts';

/** The progress of a change of many animals, on every screen, and then the animals that were not changed. */
export function BulkProgress() {
  const work = bulkWork.value;
  if (work === undefined) return null;
  return isChangingMany.value ? <Progress work={work} /> : <Refusals work={work} />;
}

function Progress({ work }: { readonly work: BulkWork }) {
  const { state, title, doneCount, totalCount, isWaiting } = work;
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // The button that started the change is gone. The next Tab leads to Stop.
    setTimeout(() => section.current?.focus());
    return () => setTimeout(focusMain);
  }, []);
  return (
    <section ref={section} class="bulk" aria-label={title} tabIndex={-1}>
      <div class="bulk-actions">
        <p>{title}</p>
        <progress aria-label={title} value={doneCount} max={totalCount} />
        <p>{texts.progress(doneCount, totalCount)}</p>
        <Button disabled={state === 'stopping'} onClick={stopBulk}>
          {state === 'stopping' ? texts.stopping : texts.stop}
        </Button>
        <p role="status">{isWaiting && texts.waiting}</p>
      </div>
    </section>
  );
}

const shownMax = 100;

function Refusals({ work }: { readonly work: BulkWork }) {
  const { title, refusals } = work;
  const isWhole = useSignal(false);
  const shown = isWhole.value ? refusals : refusals.slice(0, shownMax);
  const hiddenCount = refusals.length - shown.length;
  return (
    <section class="bulk-refusals fault" aria-label={title}>
      <div class="bulk-actions">
        <p role="alert">{title}</p>
        {hiddenCount > 0 && (
          <Button
            onClick={() => {
              isWhole.value = true;
            }}
          >
            {texts.showAll(hiddenCount)}
          </Button>
        )}
        <Button
          onClick={() => {
            dismissBulk();
            setTimeout(focusMain);
          }}
        >
          {common.dismiss}
        </Button>
      </div>
      <ul>
        {shown.map(({ pet, reason }) => (
          <li key={pet.id}>{texts.refusal(pet, reason)}</li>
        ))}
      </ul>
    </section>
  );
}
