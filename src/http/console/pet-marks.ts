import { background } from '../../context/context.ts';
import { settlesWithin, turn } from '../../context/deadline.ts';
import {
  type CountedPets,
  countPets,
  type PetPositionReads,
  type PetTotals,
} from '../../domain/pet-position.ts';
import type { Context } from '../../domain/values/context.ts';

/** Ids of a list at equal distances, ascending. The id with the index i has the rank (i + 1) × step, counted from 0. */
export interface Marks {
  readonly ids: readonly number[];
  readonly step: number;
}

/** The totals are from before the marks were read. */
interface ReadMarks extends Marks {
  readonly totals: PetTotals;
}

/** Tests use small ones. */
export interface MarkSizes {
  /** The animals from one mark to the next, at least. */
  readonly stepMin: number;
  /** The marks of a list. A longer list has longer steps. */
  readonly marksMax: number;
  /** After more changes, a call waits for new marks. */
  readonly changesMax: number;
}

/** Lists with marks. They take at most 2 MB together. Beyond this, the marks that were used least recently are read again. */
const listsMax = 64;

/** The animals that are read at once. SQLite needs half a millisecond for them, in which the server answers nothing else. */
const scanMax = 16_384;

/**
 * Reading the marks of a list rests so many times as long as it took. A workspace has four lists, so that changes and calls without
 * end cost a server a tenth of its time.
 */
const restFactor = 40;

/** A million animals need a tenth of it. */
const waitMillisecondsMax = 2000;

/** A list, with what the server knows of it. */
interface MarkedList {
  readonly pets: CountedPets;
  marks?: ReadMarks;
  /** Reading of new marks. */
  reading?: Promise<void> | undefined;
  /** By the steady clock. */
  restsUntil: number;
}

export interface MarkOptions {
  readonly database: PetPositionReads;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
  readonly stopping: AbortSignal;
}

/** Keeps the marks of the lists that were used last. */
export function createMarks({ database, steadyNow, stopping }: MarkOptions, sizes: MarkSizes) {
  const listOf = createLists();
  const ofServer = { ...background, signal: stopping };
  /** Marks are read for one list after the other. */
  let lastReading: Promise<unknown> = Promise.resolve();

  /** Reads the marks of a list again, unless they are current or rest. Returns the list. */
  function refresh(pets: CountedPets, totals: PetTotals): MarkedList {
    const list = listOf(pets);
    const isCurrent = list.marks?.totals.version === totals.version;
    if (isCurrent || list.reading !== undefined || steadyNow() < list.restsUntil) return list;
    const reading = lastReading.then(async () => {
      const startedAt = steadyNow();
      try {
        list.marks = await readMarks(ofServer, database, pets, totals, sizes);
        list.restsUntil = steadyNow() + restFactor * (steadyNow() - startedAt);
      } finally {
        list.reading = undefined;
      }
    });
    list.reading = reading;
    // Only the calls that wait for the marks fail. A later call reads them again.
    lastReading = reading.catch(() => {});
    return list;
  }

  function isClose({ marks, pets }: MarkedList, totals: PetTotals): boolean {
    if (marks === undefined) return false;
    const added = countPets(totals, pets) - countPets(marks.totals, pets);
    return Math.max(Math.abs(added), totals.head - marks.totals.head) <= sizes.changesMax;
  }

  return {
    /** The marks of a list, perhaps from before its last changes. Undefined if they are not known in time. */
    async find(pets: CountedPets, totals: PetTotals): Promise<Marks | undefined> {
      const list = refresh(pets, totals);
      if (list.reading !== undefined && !isClose(list, totals)) {
        await settlesWithin(list.reading, waitMillisecondsMax);
      }
      return list.marks;
    },
    /** Returns when the marks of a list are current. */
    prepare: async (pets: CountedPets, totals: PetTotals) => refresh(pets, totals).reading,
  };
}

/** Finds or adds what the server knows of a list. */
function createLists() {
  // In the order of their last use.
  const lists = new Map<string, MarkedList>();
  return (pets: CountedPets): MarkedList => {
    const key = `${pets.workspaceId} ${pets.status}`;
    const list = lists.get(key) ?? { pets, restsUntil: 0 };
    lists.delete(key);
    lists.set(key, list);
    const [oldest] = lists.keys();
    if (lists.size > listsMax && oldest !== undefined) lists.delete(oldest);
    return list;
  };
}

/** Reads the marks of a list in slices, between which other requests are answered. */
async function readMarks(
  context: Context,
  database: PetPositionReads,
  pets: CountedPets,
  totals: PetTotals,
  { stepMin, marksMax }: MarkSizes,
): Promise<ReadMarks> {
  const step = Math.max(stepMin, Math.ceil(countPets(totals, pets) / marksMax));
  const limit = Math.max(1, Math.floor(scanMax / step));
  const ids: number[] = [];
  for (;;) {
    await turn();
    const from = ids.at(-1) ?? 0;
    const slice = await database.readPetMarks(context, pets, { from, step, limit });
    ids.push(...slice);
    if (slice.length < limit) return { ids, step, totals };
  }
}
