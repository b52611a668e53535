import { useSignal, useSignalEffect } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf } from '../api/service.ts';
import { session, sessionState } from '../api/session.ts';
import type { Identified } from '../lists/list-place.ts';
import type { RecordList } from '../lists/record-list.ts';
import type { ListedKind } from '../texts/local-count.ts';
import { texts } from '../texts/print.ts';
import { useUnmounted } from './action.ts';
import { Button } from './controls.tsx';
import { formatTime } from './display.tsx';
import { MenuButton } from './menu.tsx';
import { showFailure } from './notices.tsx';

interface PrintProps<Row> {
  readonly title: string;
  /** The filters of the list, in words. */
  readonly filters: readonly string[];
  readonly kind: ListedKind;
  readonly columns: readonly PrintColumn<Row>[];
}

/** A list on paper. */
interface Printout<Row> extends PrintProps<Row> {
  readonly rows: readonly Row[];
  /** Whether these are all rows of the list. */
  readonly isComplete: boolean;
}

export interface PrintColumn<Row> {
  readonly heading: string;
  readonly text: (row: Row) => string;
  /** For short texts, such as a date. Longer texts break beside them. */
  readonly isOneLine?: boolean;
}

export interface PrintWay<Row> {
  readonly text: string;
  readonly readColumns: (
    rows: readonly Row[],
    signal: AbortSignal,
  ) => Promise<readonly PrintColumn<Row>[]>;
}

/**
 * Prints all rows of a list as a plain table. If a user prints with the command of the browser, the table has the rows that are
 * loaded, because the browser does not wait for others.
 */
export function PrintButton<Row extends Identified>(
  props: PrintProps<Row> & {
    readonly list: RecordList<Row>;
    /** Whether a row that is loaded still matches. */
    readonly isPrinted: (row: Row) => boolean;
    /** The columns for all rows. The user chooses among several ways to print. */
    readonly ways: readonly PrintWay<Row>[];
  },
) {
  const isReading = useSignal(false);
  const unmounted = useUnmounted();
  const current = useRef(props);
  current.current = props;
  const sheet = useSheet<Row>(() => {
    const { list, isPrinted } = current.current;
    const { items, gone } = list.rows;
    const rows = items.filter((row) => !gone.has(row.id) && isPrinted(row));
    return { ...current.current, rows, isComplete: list.state.peek() === 'complete' };
  });

  async function printAll({ readColumns }: PrintWay<Row>): Promise<void> {
    isReading.value = true;
    try {
      const rows = await props.list.readAll(unmounted);
      const columns = await readColumns(rows, unmounted);
      if (!unmounted.aborted) sheet.print({ ...props, rows, columns, isComplete: true });
    } catch (error) {
      if (!unmounted.aborted) showFailure(texts.readFailed(messageOf(error)));
    } finally {
      isReading.value = false;
    }
  }

  const [way, ...others] = props.ways;
  const text = isReading.value ? texts.reading : texts.print;
  if (way !== undefined && others.length === 0) {
    return (
      <Button onClick={() => void printAll(way)} disabled={isReading.value}>
        {text}
      </Button>
    );
  }
  const items = props.ways.map((one) => ({ text: one.text, run: () => void printAll(one) }));
  return (
    <MenuButton name={texts.print} items={items} disabled={isReading.value}>
      {text}
    </MenuButton>
  );
}

/** The sheet of a screen, beside the page, which is hidden on paper while there is a sheet. */
function useSheet<Row>(loaded: () => Printout<Row>) {
  const element = useRef<HTMLElement | undefined>(undefined);

  function show(printout: Printout<Row>): void {
    hide();
    element.current = document.createElement('div');
    element.current.className = 'printed';
    // This draws at once. The browser waits for no later drawing.
    render(<Sheet {...printout} />, element.current);
    document.body.append(element.current);
  }

  function hide(): void {
    if (element.current === undefined) return;
    render(null, element.current);
    element.current.remove();
    element.current = undefined;
  }

  const isLocked = () => sessionState.peek().is === 'locked';
  useEffect(() => {
    const showLoaded = () => {
      if (element.current === undefined && !isLocked()) show(loaded());
    };
    addEventListener('beforeprint', showLoaded);
    addEventListener('afterprint', hide);
    return () => {
      removeEventListener('beforeprint', showLoaded);
      removeEventListener('afterprint', hide);
      hide();
    };
  }, []);
  useSignalEffect(() => {
    if (sessionState.value.is === 'locked') hide();
  });
  return {
    print(printout: Printout<Row>): void {
      if (isLocked()) return;
      show(printout);
      print();
    },
  };
}

function Sheet<Row>(props: Printout<Row>) {
  const { title, filters, kind, columns, rows, isComplete } = props;
  const workspace = session.peek()?.workspace ?? 'default';
  const facts = [
    ...(workspace === 'default' ? [] : [texts.workspace(workspace)]),
    ...filters,
    isComplete ? texts.all(kind, rows.length) : texts.part(kind, rows.length),
    texts.printedAt(formatTime(Date.now(), 'short')),
  ];
  return (
    <>
      <h1>{title}</h1>
      <ul>
        {facts.map((fact) => (
          <li key={fact}>
            <bdi>{fact}</bdi>
          </li>
        ))}
      </ul>
      <table>
        <thead>
          <tr>
            {columns.map(({ heading }) => (
              <th key={heading}>{heading}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(({ heading, text, isOneLine = false }) => (
                <td key={heading} class={isOneLine ? 'one-line' : undefined} dir="auto">
                  {text(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
