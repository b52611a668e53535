import { useLayoutEffect, useRef } from 'preact/hooks';
import { Fault } from '../parts/controls.tsx';
import { Failed, Loading } from '../parts/display.tsx';
import { texts } from '../texts/import.ts';
import { ChooseFile } from './choose-file.tsx';
import { Prepare } from './prepare/prepare.tsx';
import { EarlierImport, ImportProgress } from './run/import-progress.tsx';
import { chosenFile, endImport, isPrepared, work } from './run/import-state.ts';
import { chooseTable, startImport } from './run/import-work.ts';
import { UndoProgress } from './run/undo-progress.tsx';

export function Import() {
  const sheet = useRef<HTMLDivElement>(null);
  const hadFile = useRef(false);
  const hasFile = chosenFile.value !== undefined;
  useLayoutEffect(() => {
    // The button that had the focus is gone with the file.
    const isLost = hadFile.current && !hasFile && document.activeElement === document.body;
    if (isLost) sheet.current?.querySelector('input')?.focus();
    hadFile.current = hasFile;
  }, [hasFile]);
  return (
    <div class="sheet" ref={sheet}>
      <Fault message={work.value.fault} />
      <Step />
    </div>
  );
}

/** The choice of a file, its preview, its import, or the Undo. */
function Step() {
  const { value: chosen } = chosenFile;
  if (chosen === undefined) return <ChooseFile onChoose={(source) => void chooseTable(source)} />;
  const { source, record, fault, shown } = chosen;
  if (fault !== undefined) {
    const retry = () => void chooseTable(source);
    return <Failed title={texts.notChecked} message={fault} onRetry={retry} />;
  }
  if (record === undefined) return <Loading />;
  if (shown !== undefined) {
    if ('scope' in shown) return <UndoProgress source={source} {...shown} />;
    return <ImportProgress source={source} {...shown} />;
  }
  return (
    <>
      <EarlierImport record={record} />
      <Prepare
        {...source}
        imported={record.rows}
        onAnswer={() => {
          isPrepared.value = true;
        }}
        onBack={endImport}
        onStart={(plan) => void startImport(plan)}
      />
    </>
  );
}
