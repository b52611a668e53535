import { type Signal, signal } from '@preact/signals';
import { createSequence, type Edge, type Identified } from './sequence.ts';
import { placesMax, putBefore, settlePlace, type WindowPlace, wholePlace } from './window-place.ts';

interface WindowState<Row extends Identified> {
  readonly sequence: ReturnType<typeof createSequence<Row>>;
  readonly unseen: ReturnType<typeof createUnseen>;
  readonly gone: Set<bigint>;
  readonly version: Signal<number>;
  place: WindowPlace;
  newest: Edge;
  expected: number | undefined;
}

/** The part of a list that is loaded, and its place in the whole. Signals announce each change. */
export function createListWindow<Row extends Identified>() {
  const state: WindowState<Row> = {
    sequence: createSequence<Row>(),
    unseen: createUnseen(),
    gone: new Set(),
    version: signal(0),
    place: wholePlace,
    newest: 'start',
    expected: undefined,
  };
  const { sequence, unseen, gone, version } = state;

  return {
    /** In the order of the list. `version` changes with them. */
    get items(): readonly Row[] {
      return sequence.items;
    },
    get place(): WindowPlace {
      return state.place;
    },
    /** The number of records, if the service counts them. */
    get expected(): number | undefined {
      return state.expected;
    },
    /** Whether the number of rows is known. */
    get isCounted(): boolean {
      const { reached } = state.place;
      const isWhole = reached.start && reached.end;
      return isWhole || (state.expected !== undefined && state.expected <= placesMax);
    },
    /** Ids of those that are deleted. Their rows stay where they are. */
    gone,
    version,
    /** How many new records are not shown, so that no row moves while it is used. */
    unseenCount: unseen.count,
    isUnseen: unseen.has,
    forgetUnseen: unseen.clear,
    between: sequence.between,
    /** Describes the list: at which edge new records are, and how many it has. */
    describe(list: Pick<WindowState<Row>, 'newest' | 'expected'>): void {
      Object.assign(state, list);
      settle(state);
    },
    /** Shows other records. `before` is the estimated place of those in sight, which stay there if it is corrected. */
    open(
      records: readonly Row[],
      { before, reached }: Pick<WindowPlace, 'reached'> & { readonly before?: number },
    ): void {
      const { moved } = state.place;
      sequence.clear();
      gone.clear();
      state.place = { before: before ?? 0, after: 0, reached, moved };
      join(state, 'end', records);
      settle(state);
      if (before === undefined) state.place = { ...state.place, moved };
    },
    /** Shows more records at an edge. */
    extend(edge: Edge, records: readonly Row[], isLast: boolean): void {
      join(state, edge, records);
      const { reached } = state.place;
      state.place = { ...state.place, reached: { ...reached, [edge]: isLast } };
      settle(state);
    },
    ...changesOfRecords(state),
  };
}

/** What events change. */
function changesOfRecords<Row extends Identified>(state: WindowState<Row>) {
  const { sequence, unseen, gone, version } = state;
  return {
    /** A record that this page added: shown at once, if its place is in the window. */
    added(record: Row): void {
      if (state.place.reached[state.newest]) join(state, state.newest, [record]);
      else if (!sequence.has(record.id)) unseen.add(record.id);
      settle(state);
    },
    addedByOthers(id: bigint): void {
      if (!sequence.has(id)) unseen.add(id);
      settle(state);
    },
    changed(record: Row): void {
      sequence.replace(record);
      version.value += 1;
    },
    removed(id: bigint): void {
      unseen.forget([id]);
      if (sequence.has(id)) gone.add(id);
      settle(state);
    },
  };
}

function join<Row extends Identified>(
  state: WindowState<Row>,
  edge: Edge,
  records: readonly Row[],
): void {
  const count = state.sequence.join(edge, records);
  if (edge === 'start') state.place = putBefore(state.place, count);
  state.unseen.forget(records.map(({ id }) => id));
}

function settle<Row extends Identified>(state: WindowState<Row>): void {
  const { expected, unseen, gone, sequence } = state;
  // Deleted records keep their rows, and new ones have none yet.
  const length = expected === undefined ? 0 : expected - unseen.count.peek() + gone.size;
  state.place = settlePlace(state.place, sequence.items.length, length);
  state.version.value += 1;
}

export type ListWindow<Row extends Identified> = ReturnType<typeof createListWindow<Row>>;

/** Ids of records that the list has, and the window does not show. */
function createUnseen() {
  const ids = new Set<bigint>();
  const count = signal(0);
  function show(): void {
    count.value = ids.size;
  }
  return {
    count,
    has: (id: bigint) => ids.has(id),
    add(id: bigint): void {
      ids.add(id);
      show();
    },
    forget(records: readonly bigint[]): void {
      for (const id of records) ids.delete(id);
      show();
    },
    clear(): void {
      ids.clear();
      show();
    },
  };
}
