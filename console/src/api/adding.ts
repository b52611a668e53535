import { isAnimalStoreError } from '../../../client/src/error.ts';

/** Refusals after which an attempt has certainly created nothing. After all other errors, its answer may have been lost. */
const refusals = [
  ...['pet_not_available', 'not_found', 'invalid_body', 'content_too_large'],
  ...['conflict', 'precondition_failed', 'idempotency_key_reused'],
];

/** Refusals of a change after which the record of the first attempt is not the wanted one any more. */
const endings = ['pet_not_available', 'not_found', 'conflict', 'precondition_failed'];

interface Steps<Values, Created> {
  readonly create: (values: Values, idempotencyKey: string) => Promise<Created>;
  /** Gives the record of the first attempt what the user has entered since. */
  readonly change: (created: Created, sent: Values) => Promise<Created>;
}

/**
 * Returns what creates the record of a form once. The answer of an attempt can be lost after the server has created the record. So
 * the next attempt repeats the first request, with its values and its key, and then changes what the user has corrected.
 */
export function createAdding<Values, Created>() {
  let first: { readonly values: Values; readonly idempotencyKey: string } | undefined;

  function forgetAfter(codes: readonly string[]): (error: unknown) => never {
    return (error) => {
      // A step can say the reason in other words.
      const reason = error instanceof Error ? (error.cause ?? error) : error;
      const found = [error, reason].find((one) => isAnimalStoreError(one));
      if (found !== undefined && codes.includes(found.code)) first = undefined;
      throw error;
    };
  }

  return async (
    values: Values,
    idempotencyKey: string,
    { create, change }: Steps<Values, Created>,
  ): Promise<Created> => {
    first ??= { values, idempotencyKey };
    const sent = first;
    const created = await create(sent.values, sent.idempotencyKey).catch(forgetAfter(refusals));
    const result = await change(created, sent.values).catch(forgetAfter(endings));
    first = undefined;
    return result;
  };
}
