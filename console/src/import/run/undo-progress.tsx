import { Button } from '../../parts/controls.tsx';
import { ShortTable } from '../../parts/display.tsx';
import { common } from '../../texts/common.ts';
import { undoTexts as texts } from '../../texts/import.ts';
import type { ImportSource } from '../choose-file.tsx';
import { endImport, work } from './import-state.ts';
import type { UndoResults, UndoScope } from './import-undo.ts';
import { chooseTable, startUndo } from './import-work.ts';
import { WorkButton, WorkHeading } from './work-parts.tsx';

const listedMax = 1000;

/** The progress of an Undo, and at its end the animals that were kept. */
export function UndoProgress(props: {
  readonly source: ImportSource;
  readonly scope: UndoScope;
  readonly results: UndoResults;
}) {
  const { source, scope, results } = props;
  const { state, isWaiting } = work.value;
  const hasEnded = state === 'stopped' || state === 'done';
  const found = [...results.rows.values()];
  const kept = found.filter((result) => typeof result !== 'string');
  const total = scope.rows.length;
  const counts = texts.counts({
    removed: found.filter((result) => result === 'removed').length,
    gone: found.filter((result) => result === 'gone').length,
    kept: kept.length,
    categories: results.categoryCount,
    remaining: total - found.length,
  });
  return (
    <>
      <WorkHeading text={texts[state]} />
      <progress aria-label={texts.doneAnimals} value={found.length} max={Math.max(1, total)} />
      <p role="status">
        {hasEnded ? counts : texts.progress(found.length, total)}
        {!hasEnded && isWaiting && ` ${texts.waiting}`}
      </p>
      {hasEnded && kept.length > 0 && (
        <section class="preview" aria-label={texts.kept(kept.length)} tabIndex={0}>
          <ShortTable
            caption={texts.kept(kept.length)}
            columns={[common.number, common.name, texts.reason]}
          >
            {kept.slice(0, listedMax).map(({ id, name, reason }) => (
              <tr key={id}>
                <td class="number">{id}</td>
                <td>{name}</td>
                <td>{reason}</td>
              </tr>
            ))}
          </ShortTable>
        </section>
      )}
      <footer>
        {hasEnded && (
          <>
            <Button onClick={() => void chooseTable(source)}>{texts.importAgain}</Button>
            <Button onClick={endImport}>{texts.otherFile}</Button>
          </>
        )}
        <WorkButton onContinue={() => void startUndo(scope, results)} />
      </footer>
    </>
  );
}
