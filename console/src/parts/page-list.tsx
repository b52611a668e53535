import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Query } from '../api/cache.ts';
import { messageOf } from '../api/service.ts';
import { useQuery } from '../api/use-query.ts';
import { common } from '../texts/common.ts';
import { useAction } from './action.ts';
import { Button, Fault } from './controls.tsx';
import { Failed, Loading } from './display.tsx';

interface Page<Row, Next> {
  readonly rows: readonly Row[];
  /** Where the next page starts. Null after the last page. */
  readonly next: Next | null;
}

/**
 * A list whose pages the user reads one after the other. `read` without a place reads the first page. `options` say whether it is read,
 * and what changes mean for it.
 */
export function usePages<Row, Next>(
  key: readonly string[],
  read: (from: Next | undefined, signal: AbortSignal) => Promise<Page<Row, Next>>,
  options: Omit<Query<Page<Row, Next>>, 'key' | 'read'> = {},
) {
  /** As many rows are read again as are shown, so that the list keeps its length after a change. */
  const wantedCount = useRef(0);
  const { data, error, isFetching, refetch } = useQuery<Page<Row, Next>>({
    ...options,
    key,
    async read(signal) {
      let page = await read(undefined, signal);
      while (page.rows.length < wantedCount.current && page.next !== null) {
        const { rows, next } = await read(page.next, signal);
        page = { rows: [...page.rows, ...rows], next };
      }
      return page;
    },
  });
  const more = useAction(async () => {
    wantedCount.current = (data?.rows.length ?? 0) + 1;
    const now = await refetch();
    if (now.error !== null) throw now.error;
    wantedCount.current = now.data?.rows.length ?? 0;
  });
  // What is shown, also an earlier failure, stays until the answer.
  const fault = useRef<string | undefined>(undefined);
  if (error !== null) fault.current = messageOf(error);
  else if (!isFetching) fault.current = undefined;
  const isCurrent = data !== undefined && !isFetching;
  return { page: data, isCurrent, fault: fault.current, load: () => void refetch(), more };
}

/** The rows that were read, with the button that reads more. */
export function PageList<Row>(props: {
  readonly pages: ReturnType<typeof usePages<Row, unknown>>;
  readonly label: string;
  readonly class: string;
  readonly readFailed: string;
  /** What a list without rows shows. */
  readonly none?: ComponentChildren;
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
        {none}
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
