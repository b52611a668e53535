import { changesOf, type Line, type MemberChange, verbOf } from '../history/changes.ts';
import { recordOf } from '../history/event-log.ts';

/** Lines of one change of many records. */
export interface Fold {
  /** Newest first. */
  readonly lines: readonly Line[];
  readonly kind: string;
  /** The members that have the same new value in all lines. `before` is undefined if it differs. */
  readonly changes: readonly MemberChange[];
  /** Older events, which are not read yet, can belong to it. */
  readonly mayContinue: boolean;
}

export type Entry = Line | Fold;

/** Fewer lines are not folded. */
const linesMin = 5;

/** The events of one change of many records follow each other faster than this. */
const pauseMilliseconds = 10_000;

/** A change of many records, as far as it is found. */
interface Group {
  readonly lines: Line[];
  readonly records: Set<string | undefined>;
}

/**
 * Folds a change of many records into one entry, also if changes of others happened during it. A record that changes again begins
 * another change. `isComplete` if there are no older lines.
 */
export function foldLines(newestFirst: readonly Line[], isComplete: boolean): readonly Entry[] {
  const groups: Group[] = [];
  const open = new Map<string, Group>();
  for (const line of newestFirst) {
    const key = keyOf(line);
    const record = recordOf(line.event);
    let group = open.get(key);
    if (group === undefined || group.records.has(record) || !isSoonAfter(group.lines, line)) {
      group = { lines: [], records: new Set() };
      groups.push(group);
      open.set(key, group);
    }
    group.lines.push(line);
    group.records.add(record);
  }
  const oldest = newestFirst.at(-1);
  const mayContinue = (lines: readonly Line[]) =>
    !isComplete && oldest !== undefined && isSoonAfter(lines, oldest);
  return groups
    .flatMap(({ lines }): readonly Entry[] =>
      lines.length < linesMin ? lines : [toFold(lines, mayContinue(lines))],
    )
    .sort((left, right) => (sequenceOf(left) < sequenceOf(right) ? 1 : -1));
}

/** The place of an entry is that of its newest event. */
function sequenceOf(entry: Entry): bigint {
  const line = 'lines' in entry ? entry.lines[0] : entry;
  return line?.event.sequence ?? 0n;
}

/** A fold that grows by new events stays the same entry, so that it stays open. */
export function keyOfEntry(entry: Entry): string {
  const line = 'lines' in entry ? entry.lines.at(-1) : entry;
  return String(line?.event.sequence);
}

/** Lines with the same key can be one change of many records: one caller gave them the same values. */
function keyOf({ event, caused }: Line): string {
  const verb = verbOf(event);
  if (verb === undefined) return String(event.sequence);
  const changes = changesOf(event).map(({ member, now }) =>
    isText(member) ? member : `${member} ${now}`,
  );
  return [event.type, verb, event.actor, caused === undefined, ...changes].join('\n');
}

/** Texts differ from record to record. */
function isText(member: string): boolean {
  return member === 'name' || member === 'description' || member === 'shipDate';
}

function isSoonAfter(later: readonly Line[], earlier: Line): boolean {
  const gap = Date.parse(later.at(-1)?.event.timestamp ?? '') - Date.parse(earlier.event.timestamp);
  return gap <= pauseMilliseconds;
}

function toFold(lines: readonly Line[], mayContinue: boolean): Fold {
  const all = lines.map(({ event }) => changesOf(event));
  const [first = []] = all;
  const changes = first
    .filter(({ member }) => !isText(member))
    .map((change) => {
      const isSame = all.every((one) =>
        one.some(({ member, before }) => member === change.member && before === change.before),
      );
      return isSame ? change : { ...change, before: undefined };
    });
  const kind = lines[0]?.event.type.split('.')[0] ?? '';
  return { lines, kind, changes, mayContinue };
}
