import { entityTag } from '../../domain/database/precondition.ts';

/** The strong `ETag` of a record, given its JSON. */
export function recordTag(json: string): string {
  return entityTag(json, (text) => Bun.SHA256.hash(text, 'hex'));
}
