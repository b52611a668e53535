import { stringify } from '../../../client/src/json.ts';
import { etagOf } from '../../../client/src/store.ts';
import { recordVersion } from '../../../src/domain/precondition.ts';

/** SHA-256, in hexadecimal. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The `ETag` of a record. Lists have none of their records, so it is made as the service makes it. */
export async function versionOf(record: object): Promise<string> {
  const known = etagOf(record);
  if (known !== undefined) return known;
  const json = stringify(record);
  const digest = await digestOf(new TextEncoder().encode(json));
  return `"${recordVersion(json, () => digest)}"`;
}
