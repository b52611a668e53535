import { background } from '../../context/context.ts';
import type { SortOrder } from '../../domain/page.ts';
import { petStatuses } from '../../domain/pet.ts';
import { type CountedPets, countPets } from '../../domain/pet-position.ts';
import type { Context } from '../../domain/values/context.ts';
import { assignedIdMax, type Int64 } from '../../domain/values/int64.ts';
import { createMarks, type MarkOptions, type MarkSizes, type Marks } from './pet-marks.ts';

// An index has no places, so that the animal in the middle of a long list costs a read of half of the list. Therefore the server
// knows marks: every thousandth id of a list. A read begins at the nearest mark, or at an end of the list. Ranks count from the oldest
// animal, so that a new one changes none. After other changes the marks are read again, and until then animals are some places off.

/** The sizes of what a server knows and reads. */
interface PositionSizes extends MarkSizes {
  /** So many animals are read from an end, without marks. */
  readonly nearMax: number;
}

const usualSizes: PositionSizes = {
  nearMax: 4096,
  stepMin: 1024,
  marksMax: 4096,
  changesMax: 1000,
};

/** The place after the newest animal. */
const end = Number(assignedIdMax) + 1;

const noMarks: Marks = { ids: [], step: 1 };

interface PetPosition {
  /** Null if the list is empty, or so long that its marks are not known yet. */
  readonly id: Int64 | null;
  readonly position: number;
  readonly count: number;
}

export interface PetPositions {
  /** Finds the animal at a position of a list. A position beyond the end is that of the last animal. */
  find(
    context: Context,
    pets: CountedPets,
    place: { readonly position: number; readonly sort: SortOrder },
  ): Promise<PetPosition>;
  /** Reads the marks of the lists of a workspace, unless they are current. */
  prepare(workspaceId: Int64): Promise<void>;
}

export function createPetPositions(
  options: MarkOptions,
  sizes: PositionSizes = usualSizes,
): PetPositions {
  const { database } = options;
  const { nearMax } = sizes;
  const marksOf = createMarks(options, sizes);

  async function findAtRank(
    context: Context,
    pets: CountedPets,
    marks: Marks,
    { rank, count }: { readonly rank: number; readonly count: number },
  ): Promise<number | undefined> {
    const place = nearestPlace(marks, rank, count);
    const isAfter = rank >= place.rank;
    const distance = isAfter ? rank - place.rank : place.rank - 1 - rank;
    // It is longer only while many animals have no mark yet.
    const offset = Math.min(distance, Math.max(nearMax, marks.step));
    const [sort, other] = isAfter ? (['id', '-id'] as const) : (['-id', 'id'] as const);
    const found = await database.findNearbyPet(context, pets, { sort, from: place.id, offset });
    if (found !== undefined) return found;
    // The list has become shorter.
    const last = { sort: other, from: isAfter ? end : 0, offset: 0 };
    return await database.findNearbyPet(context, pets, last);
  }

  return {
    async find(context, pets, { position, sort }) {
      const totals = await database.readPetTotals(context, pets.workspaceId);
      const count = totals === undefined ? 0 : countPets(totals, pets);
      if (totals === undefined || count === 0) return { id: null, position: 0, count: 0 };
      const found = Math.min(position, count - 1);
      const rank = sort === 'id' ? found : count - 1 - found;
      const isNearEnd = Math.min(rank, count - 1 - rank) < nearMax;
      const marks = isNearEnd ? noMarks : await marksOf.find(pets, totals);
      const id = marks && (await findAtRank(context, pets, marks, { rank, count }));
      return { id: id === undefined ? null : BigInt(id), position: found, count };
    },
    async prepare(workspaceId) {
      const totals = await database.readPetTotals(background, workspaceId);
      if (totals === undefined) return;
      const lists = [undefined, ...petStatuses]
        .map((status) => ({ workspaceId, status }))
        .filter((pets) => countPets(totals, pets) > 2 * nearMax);
      await Promise.all(lists.map((pets) => marksOf.prepare(pets, totals)));
    },
  };
}

/** Where a read begins: before the animal of a rank. */
interface Place {
  readonly rank: number;
  readonly id: number;
}

/** The place that is nearest to a rank: the oldest end, a mark, or the newest end. */
function nearestPlace({ ids, step }: Marks, rank: number, count: number): Place {
  const number = Math.min(Math.round(rank / step), ids.length);
  const place = { rank: number * step, id: ids[number - 1] ?? 0 };
  return Math.abs(rank - place.rank) <= count - rank ? place : { rank: count, id: end };
}
