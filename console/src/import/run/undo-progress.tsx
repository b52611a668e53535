import { Button } from '../../parts/controls.tsx';
import { common } from '../../texts/common.ts';
import { undoTexts as texts } from '../../texts/import.ts';
import type { ImportSource } from '../choose-file.tsx';
import { isImporting, type ShownUndo } from './import-state.ts';
import { chooseTable, startUndo } from './import-work.ts';
import { FirstRows, WorkProgress } from './work-progress.tsx';

/** The progress of an Undo, and at its end the animals that were kept. */
export function UndoProgress(props: ShownUndo & { readonly source: ImportSource }) {
  const { source, scope, results } = props;
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
    <WorkProgress
      titles={texts}
      label={texts.doneAnimals}
      doneCount={found.length}
      totalCount={total}
      text={isImporting.value ? texts.progress(found.length, total) : counts}
      buttons={<Button onClick={() => void chooseTable(source)}>{texts.importAgain}</Button>}
      onContinue={() => void startUndo(scope, results)}
    >
      <FirstRows
        title={texts.kept(kept.length)}
        columns={[common.number, common.name, texts.reason]}
        rows={kept.map(({ id, name, reason }) => [id, name, reason])}
      />
    </WorkProgress>
  );
}
