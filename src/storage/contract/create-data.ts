/**
 * Whether a command may create data if there is none. `auto` rejects a place where data seems to be missing; `always` creates
 * it there too.
 */
export const createDataChoices = ['auto', 'never', 'always'] as const;
export type CreateData = (typeof createDataChoices)[number];
