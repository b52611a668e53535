/**
 * Stores the parts of a page, except those that the browser refuses: some values have no clone, and Firefox has room for 16 MiB, which
 * is less than a selection of all animals can have.
 */
export function storeParts(
  parts: ReadonlyMap<string, unknown>,
  store: (parts: ReadonlyMap<string, unknown>) => void,
): void {
  let stored = new Map<string, unknown>();
  for (const part of parts) {
    try {
      const more = new Map([...stored, part]);
      store(more);
      stored = more;
    } catch {
      // The browser keeps what was stored before.
    }
  }
}
