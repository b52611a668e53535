import type { Pet, PetPatch } from '../../../client/src/contract.ts';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import { versionOf } from '../api/digest.ts';
import { oneAttempt, type Retry, undefinedIf } from '../api/retry.ts';
import { type Api, messageOf } from '../api/service.ts';
import { workTexts as texts } from '../texts/bulk.ts';
import { changeOf, draftOf, isSameDraft } from './members.ts';

/** What an animal becomes. */
export type Target = PetPatch | 'deleted';

/** An animal before and after its change. `after` is undefined if it was deleted. */
export interface Changed {
  readonly before: Pet;
  readonly after: Pet | undefined;
}

/** An animal that was not changed. `now` is undefined if it does not exist. */
export interface Refused {
  readonly refusal: string;
  readonly now: Pet | undefined;
}

export type Outcome = Changed | Refused;

export interface BulkContext {
  readonly sessionApi: Api;
  readonly retry: Retry;
  readonly signal: AbortSignal;
  readonly stop: AbortSignal;
  /** Begins the keys of all requests of the change. */
  readonly keyPrefix: string;
}

/** Changes an animal unless another user has changed it since it was selected. Undefined if the change was stopped before. */
export async function changeAnimal(
  context: BulkContext,
  pet: Pet,
  target: Target,
): Promise<Outcome | undefined> {
  const ifMatch = await versionOf(pet);
  if (context.stop.aborted) return undefined;
  const send = (version: string, attempt: number) =>
    target === 'deleted'
      ? deleteAnimal(context, pet, version, `delete-${attempt}`)
      : patchAnimal(context, pet, target, version, `patch-${attempt}`);
  const after = await send(ifMatch, 1).catch(toConflict);
  if (after !== conflict) return { before: pet, after };
  const now = await readAnimal(context, pet.id);
  if (now === undefined) return gone;
  const version = await versionOf(now);
  const isSame = isSameDraft(draftOf(now), draftOf(pet)) && version !== ifMatch;
  // A newer server can have members that the list did not have.
  const again = isSame ? await send(version, 2).catch(toConflict) : conflict;
  if (again !== conflict) return { before: pet, after: again };
  return { refusal: texts.changedSince(now.status), now };
}

/** Takes a change back, unless the animal has changed again. A deleted animal gets a new number. */
export async function revertAnimal(
  context: BulkContext,
  { before, after }: Changed,
): Promise<Outcome | undefined> {
  const { sessionApi, retry, signal } = context;
  if (after === undefined) {
    const { id, ...members } = before;
    const options = { ...oneAttempt, signal, idempotencyKey: keyOf(context, id, 'create') };
    const created = await retry(() => sessionApi.pets.create(members, options));
    return { before, after: created };
  }
  const patch = changeOf(draftOf(before), before.categoryId, after);
  const version = await versionOf(after);
  const reverted = await patchAnimal(context, after, patch, version, 'undo').catch(toConflict);
  if (reverted !== conflict) return { before: after, after: reverted };
  const now = await readAnimal(context, after.id);
  return now === undefined ? gone : { refusal: texts.changedAgain(now.status), now };
}

const gone: Refused = { refusal: texts.gone, now: undefined };

const conflict = Symbol('conflict');

function toConflict(error: unknown): typeof conflict {
  if (!isAnimalStoreError(error, 'precondition_failed')) throw error;
  return conflict;
}

/** The outcome of a request that was refused for another reason than a change by another user. */
export function toRefusal(error: unknown, pet: Pet): Refused {
  if (isAnimalStoreError(error, 'not_found')) return gone;
  return { refusal: isAnimalStoreError(error) ? messageOf(error) : texts.unanswered, now: pet };
}

/** The same in each attempt, so that nothing is done twice. */
function keyOf({ keyPrefix }: BulkContext, id: bigint, action: string): string {
  return `${keyPrefix}-${id}-${action}`;
}

function patchAnimal(
  context: BulkContext,
  { id }: Pet,
  patch: PetPatch,
  ifMatch: string,
  action: string,
): Promise<Pet> {
  const { sessionApi, retry, signal } = context;
  const options = { ...oneAttempt, signal, ifMatch, idempotencyKey: keyOf(context, id, action) };
  return retry(() => sessionApi.pets.update(id, patch, options));
}

async function deleteAnimal(
  context: BulkContext,
  { id }: Pet,
  ifMatch: string,
  action: string,
): Promise<undefined> {
  const { sessionApi, retry, signal } = context;
  const options = { ...oneAttempt, signal, ifMatch, idempotencyKey: keyOf(context, id, action) };
  await retry(() => sessionApi.pets.delete(id, options));
}

function readAnimal(
  { sessionApi, retry, signal }: BulkContext,
  id: bigint,
): Promise<Pet | undefined> {
  return retry(() => sessionApi.pets.update(id, {}, { ...oneAttempt, signal })).catch(
    undefinedIf('not_found'),
  );
}
