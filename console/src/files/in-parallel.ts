/** Does something for each item, a few at once and in order, until it is done or stopped. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  count: number,
  act: (item: Item) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  async function work(): Promise<void> {
    for (let next = remaining.next(); next.done !== true; next = remaining.next()) {
      if (signal?.aborted === true) return;
      await act(next.value);
    }
  }
  await Promise.all(Array.from({ length: count }, work));
}
