/** The records that a data file must have after the acknowledged writes. Animals are `pet 1`, orders `order 1`. */
export interface Records {
  readonly rows: ReadonlyMap<string, ExpectedRow>;
  /** Names of rows that must not be assigned again. */
  readonly given: ReadonlySet<string>;
  /** Rows that may be served although `rows` lacks them, such as those of a log whose file was opened without it. */
  readonly others: ReadonlySet<string>;
}

interface ExpectedRow {
  /** The name of an animal or the animal of an order; undefined if several are possible. */
  readonly value: string | undefined;
  readonly isRequired: boolean;
}

export type ServedRows = ReadonlyMap<string, string>;

export const noRecords: Records = { rows: new Map(), given: new Set(), others: new Set() };

export function addRow(records: Records, row: string, value: string): Records {
  return {
    ...records,
    rows: new Map(records.rows).set(row, { value, isRequired: true }),
    given: new Set(records.given).add(row),
  };
}

export function deleteRow(records: Records, row: string): Records {
  const rows = new Map(records.rows);
  rows.delete(row);
  return { ...records, rows };
}

/** A row whose last write has an unknown outcome. */
export function loosenRow(records: Records, row: string): Records {
  if (!records.rows.has(row)) return records;
  return {
    ...records,
    rows: new Map(records.rows).set(row, { value: undefined, isRequired: false }),
  };
}

/** The records of a file without the log that led from `base` to `full`: any state between the two. */
export function between(base: Records, full: Records): Records {
  if (base === full) return full;
  const rows = new Map<string, ExpectedRow>();
  for (const [row, { value, isRequired }] of base.rows) {
    const later = full.rows.get(row);
    const isSame = later?.value === value;
    rows.set(row, {
      value: isSame ? value : undefined,
      isRequired: isRequired && later !== undefined,
    });
  }
  return { rows, given: base.given, others: base.others.union(full.others).union(full.given) };
}

interface Difference {
  readonly lost: readonly string[];
  readonly strange: readonly string[];
}

/** Compares served rows with the expected ones. `unknown` has values whose write got no answer or an error. */
export function compareRows(
  expected: Records,
  served: ServedRows,
  unknown: ReadonlySet<string>,
): Difference {
  const lost = [...expected.rows]
    .filter(([row, { isRequired }]) => isRequired && !served.has(row))
    .map(([row]) => row);
  const strange = [...served].flatMap(([row, value]) => {
    const there = expected.rows.get(row);
    if (there === undefined) {
      return expected.others.has(row) || unknown.has(value) ? [] : [`${row} (${value})`];
    }
    const isRight = there.value === undefined || there.value === value || unknown.has(value);
    return isRight ? [] : [`${row} (${value} instead of ${there.value})`];
  });
  return { lost, strange };
}

/** The served rows become the expected ones. */
export function adoptRows(served: ServedRows, expected: Records | undefined): Records {
  return {
    rows: new Map([...served].map(([row, value]) => [row, { value, isRequired: true }])),
    given: new Set(served.keys()).union(expected?.given ?? new Set()),
    others: new Set(),
  };
}

export function idOf(row: string): number {
  return Number(row.split(' ')[1]);
}

/** Undefined if the number is not determined. */
export function countAnimals({ rows, others }: Records): number | undefined {
  if (others.size > 0 || [...rows.values()].some(({ isRequired }) => !isRequired)) return undefined;
  return [...rows.keys()].filter((row) => row.startsWith('pet ')).length;
}

/** Rows that a file has, without what is known of deleted ones. */
export function recordsOfRows(rows: ServedRows): Records {
  return adoptRows(rows, undefined);
}

/** Undefined rows are those of a file that cannot be read. */
export function isSameRows(one: ServedRows | undefined, other: ServedRows | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.size === other.size && [...one].every(([row, value]) => other.get(row) === value);
}
