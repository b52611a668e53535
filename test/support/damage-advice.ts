/** The last line of `verify` after damage. */
export const damageAdvice =
  'animal-store: Stop all servers and restore the last good backup: see docs/operations.md\n';
