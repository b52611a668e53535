import { comparableName } from '../../../src/domain/name.ts';

/** A known category by its number, a new one by its name, or any number. */
export interface CategoryChoice {
  readonly kind: 'known' | 'new' | 'number';
  /** The number, or the name of a new category. */
  readonly text: string;
}

/** Equal for choices of the same category. */
export function categoryKey({ kind, text }: CategoryChoice): string {
  return kind === 'new' ? `new ${comparableName(text)}` : `number ${text}`;
}

/** Until the user has chosen one. */
export const noCategory: CategoryChoice = { kind: 'known', text: '' };
