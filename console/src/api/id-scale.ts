import type { Edge, Identified } from './sequence.ts';

/** Smaller gaps are evenly spread. */
const gapMin = 1000;

/**
 * Estimates the id at a part of a list whose records are in the order of their ids, as a scroll bar needs it. Ids are taken as evenly
 * spread, except for the large gaps that were seen.
 */
export function createIdScale() {
  const edges: Partial<Record<Edge, number | undefined>> = {};
  /** The ids on both sides of a gap. */
  const gaps = new Map<number, number>();

  return {
    edges,
    /** Learns from consecutive records, and from the edges of the list that are among them. */
    learn(records: readonly Identified[], reached: Readonly<Record<Edge, boolean>>): void {
      const ids = records.map(({ id }) => Number(id));
      for (const edge of ['start', 'end'] as const) {
        if (reached[edge]) edges[edge] = ids.at(edge === 'start' ? 0 : -1);
      }
      for (const [index, id] of ids.entries()) {
        const next = ids[index + 1] ?? id;
        if (Math.abs(next - id) > gapMin) gaps.set(id, next);
      }
    },
    /** `part` is 0 at the start of the list and 1 at its end. */
    idAt(part: number): bigint {
      const { start = 0, end = 0 } = edges;
      const direction = Math.sign(end - start);
      const distances = [...gaps].map((sides) => sides.map((id) => (id - start) * direction));
      const ranges = distances.map(([near = 0, far = 0]) => ({ near, size: far - near }));
      const empty = ranges.reduce((sum, { size }) => sum + size, 0);
      let distance = part * (Math.abs(end - start) - empty);
      for (const { near, size } of ranges.sort((left, right) => left.near - right.near)) {
        if (distance > near) distance += size;
      }
      return BigInt(Math.round(start + distance * direction));
    },
  };
}
