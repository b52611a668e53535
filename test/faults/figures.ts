/** The figure of most tests, such as "120 acknowledged, none lost". */
export function acknowledgedFigure(
  answers: readonly { readonly acknowledged: { readonly size: number } }[],
  broken: Iterable<string> = [],
  suffix = '',
): string {
  const count = answers.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  return `${count} acknowledged${suffix}, ${[...broken].join(', ') || 'none lost'}`;
}

/** The lines whose condition holds. */
export function linesOf(...lines: readonly (string | false)[]): string[] {
  return lines.filter((line) => line !== false);
}

/** A line for each duration that exceeds its limit. */
export function overLimits(
  ...limits: readonly (readonly [what: string, milliseconds: number, max: number])[]
): string[] {
  return limits
    .filter(([, took, max]) => took > max)
    .map(([what, took]) => `${what} ${seconds(took)}`);
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
