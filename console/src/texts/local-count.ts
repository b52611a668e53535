import { pluralize } from '../../../src/domain/values/pluralize.ts';

/** A number with the separators of the language. */
export const localCount = (count: number | bigint) => count.toLocaleString();

/** A number and its noun, with the separators of the language. */
export function pluralizeLocal(count: number, noun: string, plural?: string): string {
  return pluralize(count, noun, plural).replace(String(count), () => localCount(count));
}
