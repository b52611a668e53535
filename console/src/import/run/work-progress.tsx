import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { ShortTable } from '../../parts/display.tsx';
import { addressOf } from '../../route.ts';
import {
  prepareTexts,
  type progressTexts,
  workTexts as texts,
  type undoTexts,
} from '../../texts/import.ts';
import { endImport, isImporting, stopImport, work } from './import-state.ts';

/** The progress of an import or its Undo. Its children and buttons are shown at its end. */
export function WorkProgress(props: {
  readonly titles: typeof progressTexts | typeof undoTexts;
  readonly label: string;
  readonly doneCount: number;
  readonly totalCount: number;
  /** How far it is, or its result. */
  readonly text: string;
  readonly children: ComponentChildren;
  readonly buttons: ComponentChildren;
  readonly onContinue: () => void;
}) {
  const { titles, label, doneCount, totalCount, text, children, buttons, onContinue } = props;
  const { state, isWaiting } = work.value;
  const hasEnded = !isImporting.value;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The button that had the focus is gone.
    if (document.activeElement === document.body) heading.current?.focus();
  }, [state]);
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        {titles[state]}
      </h2>
      <progress aria-label={label} value={doneCount} max={Math.max(1, totalCount)} />
      <p role="status">
        {text}
        {!hasEnded && isWaiting && ` ${texts.waiting}`}
      </p>
      {hasEnded && children}
      <footer>
        {hasEnded && (
          <>
            {buttons}
            <Button onClick={endImport}>{texts.otherFile}</Button>
          </>
        )}
        <WorkButton onContinue={onContinue} />
      </footer>
    </>
  );
}

/** The last button stops, continues or leaves. No button that removes something is ever at its place. */
function WorkButton({ onContinue }: { readonly onContinue: () => void }) {
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

const listedMax = 1000;

/** The first rows of a list, each with its number. */
export function FirstRows(props: {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}) {
  const { title, columns, rows } = props;
  if (rows.length === 0) return null;
  return (
    <section class="preview faults" aria-label={title} tabIndex={0}>
      <ShortTable caption={title} columns={columns}>
        {rows.slice(0, listedMax).map((cells, index) => (
          <tr key={index}>
            {cells.map((cell, column) => (
              <td key={columns[column]} class={column === 0 ? 'number' : undefined}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </ShortTable>
      {rows.length > listedMax && <p>{prepareTexts.andMore(rows.length - listedMax)}</p>}
    </section>
  );
}
