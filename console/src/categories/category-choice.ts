import { comparableName } from '../../../src/domain/name.ts';

/** A category by its number, or a new one by its name. */
export interface CategoryChoice {
  readonly kind: 'number' | 'new';
  /** The number, or the name of a new category. */
  readonly text: string;
}

/** Equal for choices of the same category. */
export function categoryKey({ kind, text }: CategoryChoice): string {
  return kind === 'new' ? `new ${comparableName(text)}` : `number ${text}`;
}

/** Until the user has chosen one. */
export const noCategory: CategoryChoice = { kind: 'number', text: '' };

/** A choice as the value of an option. */
export const toValue = ({ kind, text }: CategoryChoice) => `${kind} ${text}`;

export function fromValue(value: string): CategoryChoice {
  const text = value.slice(value.indexOf(' ') + 1);
  return { kind: value.startsWith('new ') ? 'new' : 'number', text };
}
