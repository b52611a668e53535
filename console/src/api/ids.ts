/** Ids of one request at most. */
const idsMax = 100;

/** Ids, or what has them, in parts, of which each takes one request. */
export function splitIds<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / idsMax);
  return Array.from({ length: count }, (_, part) =>
    items.slice(part * idsMax, (part + 1) * idsMax),
  );
}
