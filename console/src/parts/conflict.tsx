import type { ComponentChildren } from 'preact';
import { conflictTexts as texts } from '../texts/common.ts';
import { Button } from './controls.tsx';
import { ShortTable } from './display.tsx';

interface ConflictRow {
  readonly heading: string;
  readonly mine: string;
  readonly theirs: string;
  readonly isSame: boolean;
  /** The class of the values. */
  readonly class?: string;
}

/** What the user entered beside what the record is now. The user chooses one of them. */
export function Conflict(props: {
  readonly message: string;
  readonly rows: readonly ConflictRow[];
  readonly onMine: () => void;
  readonly onTheirs: () => void;
  readonly children?: ComponentChildren;
}) {
  const { message, rows, onMine, onTheirs, children } = props;
  return (
    <>
      <p role="alert" class="question">
        {message}
      </p>
      {children}
      <ShortTable columns={['', texts.mine, texts.theirs]}>
        {rows.map(({ heading, mine, theirs, isSame, class: valueClass }) => (
          <tr key={heading} class={isSame ? '' : 'differs'}>
            <th scope="row">{heading}</th>
            <td class={valueClass}>{mine}</td>
            <td class={valueClass}>{theirs}</td>
          </tr>
        ))}
      </ShortTable>
      <footer>
        <Button onClick={onTheirs}>{texts.takeTheirs}</Button>
        <Button kind="main" onClick={onMine}>
          {texts.saveMine}
        </Button>
      </footer>
    </>
  );
}
