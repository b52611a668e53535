/** What `verify` says after all that it found. */
export const damageAdvice =
  'animal-store: Stop every server and restore the last good backup; docs/operations.md tells how\n';
