/**
 * Whether a command may create data if there is none. `auto` rejects a place where data seems to be missing; `always` creates
 * it there too.
 */
export const createDataChoices = ['auto', 'never', 'always'] as const;
export type CreateData = (typeof createDataChoices)[number];

/** What an operator can do if there is no data and `never` was chosen. */
export const createAdvice =
  'mount its disk, restore a backup, or create data with animal-store keys create --name NAME --create-data auto';
