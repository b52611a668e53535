import { settings } from '../ops/config.ts';

/** Of each Service of a namespace, Kubernetes sets variables with its address. One of these can have the name of a setting. */
const isServiceLink = (text: string) => /^(?:tcp|udp|sctp):\/\//.test(text);

/** The value of a variable. An empty one counts as not set, because shells and containers often leave one. */
export function readVariable(
  variable: string,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const text = environment[variable];
  return text === undefined || text === '' || isServiceLink(text) ? undefined : text;
}

const serviceVariable = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_[0-9]+_/;

/** A line for each variable that begins with ANIMAL_STORE_ and is no setting, such as a mistyped one. */
export function unknownVariables(environment: NodeJS.ProcessEnv = process.env): string[] {
  const known = Object.values(settings).map(({ variable }) => variable);
  const unknown = Object.entries(environment).filter(
    ([name, text = '']) =>
      name.startsWith('ANIMAL_STORE_') &&
      !known.includes(name) &&
      !isServiceLink(text) &&
      !serviceVariable.test(name),
  );
  return unknown.map(([name]) => {
    const nearest = findNearest(name, known);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return `the variable ${name} is no setting${hint}`;
  });
}

/**
 * Returns the name that needs the fewest changed, added or removed letters, if these are few; undefined without such a name. The
 * common beginning of the names does not count.
 */
function findNearest(text: string, names: readonly string[]): string | undefined {
  const [own, ...others] = [text, ...names].map((name) => name.replace(/^ANIMAL_STORE_/, ''));
  const distances = others.map(
    (other, index) => [names[index], distance(own ?? '', other)] as const,
  );
  const [nearest] = distances.sort(([, one], [, other]) => one - other);
  return nearest !== undefined && nearest[1] <= (own ?? '').length / 3 ? nearest[0] : undefined;
}

/** The edit distance of Levenshtein. */
function distance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      const changed = (before[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(changed, (before[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = next;
  }
  return before.at(-1) ?? 0;
}
