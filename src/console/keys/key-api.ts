import { callConsole } from '../api/api.ts';
import type { CreatedKey, Key, KeyPage, NewKey } from '../contract.ts';
import { texts } from '../texts/keys.ts';

/** Reads a page of keys, newest first. */
export function readKeys(before?: KeyPage['nextBefore']): Promise<KeyPage> {
  return callConsole('listKeys', { query: { before: before ?? undefined } });
}

/** Not retried: if the answer is lost, the secret of the key is lost as well. */
async function makeKey(call: Promise<CreatedKey>): Promise<CreatedKey> {
  try {
    return await call;
  } catch (error) {
    const { code } = Object(error);
    if (code !== 'connection_failed' && code !== 'timed_out') throw error;
    throw new Error(texts.outcomeUnknown);
  }
}

export function createKey(body: NewKey): Promise<CreatedKey> {
  return makeKey(callConsole('createKey', { body }));
}

export function rotateKey(keyId: Key['id'], overlapSeconds: number): Promise<CreatedKey> {
  return makeKey(callConsole('rotateKey', { parameters: { keyId }, body: { overlapSeconds } }));
}
