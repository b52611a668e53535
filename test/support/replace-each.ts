/** Replaces texts wherever they occur. A text that does not occur is an error. */
export function replaceEach(
  text: string,
  pairs: readonly (readonly [from: string, to: string])[],
): string {
  return pairs.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`The document no longer says ${from}`);
    return changed.replaceAll(from, () => to);
  }, text);
}
