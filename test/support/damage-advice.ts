/** What `verify` says after all that it found. */
export const damageAdvice =
  'animal-store: Stop all servers and restore the last good backup: see docs/operations.md\n';
