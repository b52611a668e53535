/** Ids of one request at most. */
const idsMax = 100;

/** Ids in parts, of which each takes one request. */
export function splitIds(ids: readonly bigint[]): readonly (readonly bigint[])[] {
  const count = Math.ceil(ids.length / idsMax);
  return Array.from({ length: count }, (_, part) => ids.slice(part * idsMax, (part + 1) * idsMax));
}

/** Records that are wanted within this time share a request. */
const delayMilliseconds = 100;

const retryMilliseconds = 5000;

/**
 * Reads records by their ids, many with one request, one request at a time. A read that fails is repeated as long as its records are
 * wanted.
 */
export function createBatch(
  read: (ids: readonly bigint[], signal: AbortSignal) => Promise<void>,
  onFailure: (ids: readonly bigint[]) => void = () => {},
) {
  const wanted = new Set<bigint>();
  let running: { readonly ids: Set<bigint>; readonly stop: AbortController } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRetry = false;

  function schedule(milliseconds: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void run(), milliseconds);
  }

  async function run(): Promise<void> {
    timer = undefined;
    if (running !== undefined || wanted.size === 0) return;
    const ids = [...wanted].slice(0, idsMax);
    const current = { ids: new Set(ids), stop: new AbortController() };
    running = current;
    for (const id of ids) wanted.delete(id);
    isRetry = false;
    try {
      await read(ids, current.stop.signal);
    } catch {
      const unread = [...current.ids];
      if (unread.length > 0) {
        for (const id of unread) wanted.add(id);
        onFailure(unread);
        isRetry = true;
      }
    }
    running = undefined;
    if (wanted.size > 0) schedule(isRetry ? retryMilliseconds : 0);
  }

  return {
    /** Reads a record soon, also if it is being read now: that answer may be older. */
    want(id: bigint): void {
      wanted.add(id);
      if (running !== undefined || (timer !== undefined && !isRetry)) return;
      isRetry = false;
      schedule(delayMilliseconds);
    },
    /** A record is not wanted any more. A request for such records only is aborted. */
    drop(id: bigint): void {
      wanted.delete(id);
      if (running?.ids.delete(id) && running.ids.size === 0) running.stop.abort();
    },
    stop(): void {
      clearTimeout(timer);
      wanted.clear();
      running?.ids.clear();
      running?.stop.abort();
    },
  };
}
