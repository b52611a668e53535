/** A known category by its number, a new one by its name, or any number. */
export interface CategoryChoice {
  readonly kind: 'known' | 'new' | 'number';
  /** The number, or the name of a new category. */
  readonly text: string;
}

/** Until the user has chosen one. */
export const noCategory: CategoryChoice = { kind: 'known', text: '' };
