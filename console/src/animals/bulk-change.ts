import type { Pet } from '../../../client/src/contract.ts';
import { type AnimalStoreError, isAnimalStoreError } from '../../../client/src/error.ts';
import type { CallOptions } from '../../../client/src/transport.ts';
import { versionOf } from '../api/digest.ts';
import { errorOf, sendRows, type Waiting } from '../api/send-rows.ts';
import type { PetRow, RowResult, RowResults } from '../contract.ts';
import { workTexts as texts } from '../texts/bulk.ts';
import { errorText } from '../texts/errors.ts';
import { changeOf, draftOf, isSameDraft } from './members.ts';

/** What an animal becomes. */
export type Target = Partial<Omit<Pet, 'id'>> | 'deleted';

/** An animal before and after its change. `after` is undefined if it was deleted. */
export interface Changed {
  readonly before: Pet;
  readonly after: Pet | undefined;
  /** Of the animal after its change. */
  readonly etag: string | undefined;
}

/** An animal that was not changed. `now` is undefined if it does not exist. */
export interface Refused {
  readonly refusal: string;
  readonly now: Pet | undefined;
}

export type Outcome = Changed | Refused;

/** What each item of a change of many sends, and what its result means. */
export interface BulkPlan<Item> {
  readonly items: readonly Item[];
  readonly petOf: (item: Item) => Pet;
  /** Its key is the same each time, so that nothing is done twice. */
  readonly rowOf: (item: Item) => Promise<PetRow>;
  /** Undefined if the row is sent again. */
  readonly outcomeOf: (item: Item, result: RowResult) => Outcome | undefined;
}

/** Changes animals, except those that another user has changed since they were selected. */
export function planChange(pets: readonly Pet[], target: Target, keyPrefix: string): BulkPlan<Pet> {
  /** As the server has animals whose members are those that the user has seen. */
  const known = new Map<Pet, Pet>();
  return {
    items: pets,
    petOf: (pet) => pet,
    async rowOf(pet) {
      const { id } = pet;
      const ifMatch = await versionOf(known.get(pet) ?? pet);
      return target === 'deleted'
        ? { key: `${keyPrefix}-${id}-delete`, action: 'delete', id, ifMatch }
        : { key: `${keyPrefix}-${id}-patch`, action: 'update', id, ifMatch, pet: target };
    },
    outcomeOf(pet, result) {
      if (result.status < 300) {
        const after = target === 'deleted' ? undefined : { ...(known.get(pet) ?? pet), ...target };
        return { before: pet, after, etag: result.etag };
      }
      if (result.status !== 412) return toRefusal(pet, result);
      const now = result.pet;
      if (now === undefined) return gone;
      // A newer server can have members that the list did not have.
      if (!known.has(pet) && isSameDraft(draftOf(now), draftOf(pet))) {
        known.set(pet, now);
        return undefined;
      }
      return { refusal: texts.changedSince(now.status), now };
    },
  };
}

/** Takes changes back, except of animals that have changed again. A deleted animal gets a new number. */
export function planRevert(changed: readonly Changed[], keyPrefix: string): BulkPlan<Changed> {
  return {
    items: changed,
    petOf: ({ before, after }) => after ?? before,
    async rowOf({ before, after, etag }) {
      const { id, ...pet } = before;
      if (after === undefined) return { key: `${keyPrefix}-${id}-create`, action: 'create', pet };
      return {
        ...{ key: `${keyPrefix}-${id}-undo`, action: 'update', id, ifMatch: etag },
        pet: changeOf(draftOf(before), before.categoryId, after),
      };
    },
    outcomeOf({ before, after }, result) {
      const { status, id = before.id, etag, pet: now } = result;
      if (status < 300 && after === undefined) {
        return { before, after: { ...before, id }, etag };
      }
      if (status < 300 && after !== undefined) {
        return { before: after, after: { ...after, ...before }, etag };
      }
      if (status !== 412) return toRefusal(after ?? before, result);
      return now === undefined ? gone : { refusal: texts.changedAgain(now.status), now };
    },
  };
}

const gone: Refused = { refusal: texts.gone, now: undefined };

function toRefusal(pet: Pet, result: RowResult): Refused {
  return result.status === 404 ? gone : { refusal: errorText(errorOf(result)), now: pet };
}

export interface Sending<Item> extends Waiting {
  readonly changePets: (rows: readonly PetRow[], options: CallOptions) => Promise<RowResults>;
  /** Called after each answer. */
  readonly onOutcomes: (outcomes: readonly (readonly [Item, Outcome])[]) => void;
}

/**
 * Runs a change of many until it is done or stopped. Returns the items that were sent and have no answer, and the error that ended it
 * early.
 */
export async function runPlan<Item>(
  { items, rowOf, outcomeOf }: BulkPlan<Item>,
  { changePets, onOutcomes, ...waiting }: Sending<Item>,
): Promise<{ readonly unanswered: readonly Item[]; readonly error?: AnimalStoreError }> {
  const unanswered = new Set<Item>();
  let remaining = items;
  try {
    while (remaining.length > 0) {
      const again: Item[] = [];
      await sendRows(remaining, {
        ...waiting,
        send: async (some, options) => changePets(await Promise.all(some.map(rowOf)), options),
        onUnanswered: (item) => unanswered.add(item),
        onResults(results) {
          const outcomes: [Item, Outcome][] = [];
          for (const [item, result] of results) {
            unanswered.delete(item);
            const outcome = outcomeOf(item, result);
            if (outcome === undefined) again.push(item);
            else outcomes.push([item, outcome]);
          }
          onOutcomes(outcomes);
        },
      });
      remaining = again;
    }
  } catch (error) {
    if (waiting.stop.aborted) return { unanswered: [...unanswered] };
    if (!isAnimalStoreError(error)) throw error;
    return { unanswered: [...unanswered], error };
  }
  return { unanswered: [] };
}

/** Runs one after the other. One that fails does not prevent the next. */
export function createTurns(onFailure: (error: unknown) => void) {
  let last: Promise<void> = Promise.resolve();
  /** Returns when it begins. */
  return (run: () => Promise<void> | undefined): Promise<void> => {
    const before = last;
    last = before.then(run).catch(onFailure);
    return before;
  };
}
