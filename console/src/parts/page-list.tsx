import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf } from '../api/service.ts';
import { common } from '../texts/common.ts';
import { useAction } from './action.ts';
import { Button, Fault } from './controls.tsx';
import { Empty, Failed, Loading } from './display.tsx';

interface Page<Row, Next> {
  readonly rows: readonly Row[];
  /** Where the next page starts. Null after the last page. */
  readonly next: Next | null;
}

/** A list whose pages the user reads one after the other. `read` without a place reads the first page. */
export function usePages<Row, Next>(read: (from?: Next) => Promise<Page<Row, Next>>) {
  const shown = useSignal<Page<Row, Next> | undefined>(undefined);
  const fault = useSignal<string | undefined>(undefined);
  const loadCount = useRef(0);

  async function withNext({ rows, next }: Page<Row, Next>): Promise<Page<Row, Next>> {
    const page = await read(next ?? undefined);
    return { ...page, rows: [...rows, ...page.rows] };
  }

  /** Reads as many rows again as are shown, so that the list keeps its length after a change. */
  async function load(): Promise<void> {
    loadCount.current += 1;
    const load = loadCount.current;
    // What is shown, also an earlier failure, stays until the answer.
    try {
      const count = shown.peek()?.rows.length ?? 0;
      let page = await read();
      while (page.rows.length < count && page.next !== null) page = await withNext(page);
      // A later change has started another read.
      if (load !== loadCount.current) return;
      shown.value = page;
      fault.value = undefined;
    } catch (error) {
      if (load === loadCount.current) fault.value = messageOf(error);
    }
  }

  const more = useAction(async () => {
    const page = shown.peek();
    if (page === undefined) return;
    const longer = await withNext(page);
    if (shown.peek() === page) shown.value = longer;
  });
  useEffect(() => void load(), []);
  return { page: shown.value, fault: fault.value, load: () => void load(), more };
}

/** The rows that were read, with the button that reads more. */
export function PageList<Row>(props: {
  readonly pages: ReturnType<typeof usePages<Row, unknown>>;
  readonly label: string;
  readonly class: string;
  readonly readFailed: string;
  /** The title of a list without rows. */
  readonly none?: string;
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}) {
  const { pages, label, readFailed, none, children } = props;
  const { page, fault, load, more } = pages;
  if (page === undefined) {
    if (fault === undefined) return <Loading />;
    return <Failed title={readFailed} message={fault} onRetry={load} />;
  }
  const failure = fault !== undefined && (
    <div role="alert" class="fault">
      {common.mayBeOld} {fault} <Button onClick={load}>{common.tryAgain}</Button>
    </div>
  );
  if (page.rows.length === 0 && none !== undefined) {
    return (
      <>
        {failure}
        <Empty title={none} />
      </>
    );
  }
  return (
    <section class={props.class} aria-label={label} tabIndex={0}>
      {failure}
      {children(page.rows)}
      {page.next !== null && (
        <p class="table-note">
          <Button disabled={more.isRunning} onClick={more.run}>
            {common.showMore}
          </Button>
          <Fault message={more.fault} />
        </p>
      )}
    </section>
  );
}
