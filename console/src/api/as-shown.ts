import { isAnimalStoreError } from '../../../client/src/error.ts';
import { versionOf } from './digest.ts';

interface Steps<Row, Result> {
  /** Changes the record if it has this version. */
  readonly send: (ifMatch: string) => Promise<Result>;
  readonly read: () => Promise<Row>;
  /** Another user has changed the record. `now` is what it is, or undefined if it is deleted. It throws, or makes the result. */
  readonly changed: (now: Row | undefined) => Result;
}

/** Changes a record if it is as its user saw it. */
export async function changeAsShown<Row extends object, Result>(
  shown: Row,
  { send, read, changed }: Steps<Row, Result>,
): Promise<Result> {
  try {
    return await send(await versionOf(shown));
  } catch (error) {
    if (isAnimalStoreError(error, 'not_found')) return changed(undefined);
    if (!isAnimalStoreError(error, 'precondition_failed')) throw error;
  }
  const now = await read().catch((error) => {
    if (!isAnimalStoreError(error, 'not_found')) throw error;
  });
  return changed(now ?? undefined);
}
