const shownMax = 60;

/** Cuts a long name, so that a message shows what happened to the record. */
export function shortName(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= shownMax) return name;
  return `${characters
    .slice(0, shownMax - 1)
    .join('')
    .trimEnd()}…`;
}
