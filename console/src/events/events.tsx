import { useSignal } from '@preact/signals';
import { eventKinds, recordKinds } from '../../../src/domain/event.ts';
import { splitIds } from '../api/ids.ts';
import { hasScope } from '../api/session.ts';
import { useActorNames } from '../history/actor-names.ts';
import { type Line, orderOf, toLines, verbOf } from '../history/changes.ts';
import { type EventLog, type FeedPart, useEventLog } from '../history/event-log.ts';
import { AnimalNames, Changes, LineOrigin, LineText } from '../history/event-text.tsx';
import { Older, useShownCount } from '../history/older.tsx';
import { useAnimalNames } from '../orders/animal-names.ts';
import { Button } from '../parts/controls.tsx';
import { Choices, Empty, Failed, Loading } from '../parts/display.tsx';
import { addressOf, listQueries } from '../route.ts';
import { frame } from '../texts/common.ts';
import { texts } from '../texts/events.ts';
import { type Entry, type Fold, foldLines, keyOfEntry } from './fold.ts';

type Kind = (typeof recordKinds)[number];

/** So many entries fill a page. */
const firstCount = 20;
/** Entries that each press of the button adds. */
const entriesCount = 100;
/** Lines of an opened fold, and those that each press of its button adds. */
const foldCount = 100;

/** The history of the workspace: the last changes, and new ones as they happen. */
export function Events() {
  useActorNames();
  const kinds = recordKinds.filter((kind) => hasScope(eventKinds[kind].scope));
  const chosen = kinds.find((kind) => kind === listQueries.history.value.get('kind'));
  return (
    <>
      <div class="toolbar">
        <Choices
          label={texts.kinds}
          values={kinds}
          chosen={chosen}
          nameOf={(kind) => texts.kindNames[kind]}
          addressOf={(kind) => addressOf('history', { kind })}
        />
      </div>
      <EventList key={chosen ?? ''} kind={chosen} />
    </>
  );
}

/** The kind is undefined for events of all kinds. */
function EventList({ kind }: { readonly kind: Kind | undefined }) {
  const part: FeedPart = {
    filter: { types: kind && [`${kind}.*`] },
    includes: ({ type }) => kind === undefined || type.startsWith(`${kind}.`),
  };
  const log = useEventLog('', [part], (read) => toEntries(read).length >= firstCount);
  const { shownCount, showOlder } = useShownCount(
    log,
    entriesCount,
    (read) => toEntries(read).length,
  );
  const entries = toEntries(log);
  const shown = entries.slice(0, shownCount);
  const orders = shown.flatMap((entry) => ('event' in entry && orderOf(entry.event)) || []);
  const names = useAnimalNames(splitIds(orders));
  const isEmpty = entries.length === 0;
  if (log === undefined || (isEmpty && log.state.value === 'loading')) return <Loading />;

  const isAll = shown.length === entries.length;
  if (isEmpty) {
    if (log.state.value === 'failed') {
      return <Failed title={texts.readFailed} message={log.message.value} onRetry={showOlder} />;
    }
    return (
      <Empty title={kind === undefined ? texts.none : texts.noneOfKind}>
        <p>{log.isComplete() ? texts.noneHint : texts.noneFound}</p>
        {kind === undefined && hasScope('pets:read') && (
          <a class="button" href={addressOf('animals')}>
            {texts.toAnimals}
          </a>
        )}
        <Older log={log} isAll onShow={showOlder} />
      </Empty>
    );
  }
  return (
    <section class="events" aria-label={frame.titles.history} tabIndex={0}>
      <AnimalNames.Provider value={names}>
        <ol class="changes">
          {shown.map((entry) => (
            <li key={keyOfEntry(entry)}>
              <EntryText entry={entry} />
            </li>
          ))}
        </ol>
      </AnimalNames.Provider>
      <Older log={log} isAll={isAll} onShow={showOlder} />
    </section>
  );
}

function toEntries(log: EventLog | undefined): readonly Entry[] {
  return log === undefined ? [] : foldLines(toLines(log.newestFirst()), log.isComplete());
}

function EntryText({ entry }: { readonly entry: Entry }) {
  if ('event' in entry) return <LineOfEvent line={entry} />;
  const [newest] = entry.lines;
  if (newest === undefined) return null;
  return (
    <>
      <LineOrigin line={newest} />
      <FoldText fold={entry} line={newest} />
    </>
  );
}

function LineOfEvent({ line }: { readonly line: Line }) {
  return (
    <>
      <LineOrigin line={line} />
      <p>
        <LineText line={line} isOfPage={false} />
      </p>
    </>
  );
}

/** A change of many records, which can be opened. */
function FoldText(props: { readonly fold: Fold; readonly line: Line }) {
  const { fold, line } = props;
  const { lines, kind, changes, mayContinue } = fold;
  const shownCount = useSignal(0);
  const remaining = lines.length - shownCount.value;
  return (
    <details
      onToggle={({ currentTarget }) => {
        // Lines that are not shown are not drawn.
        shownCount.value = currentTarget.open ? foldCount : 0;
      }}
    >
      <summary>
        {texts.many(kind, lines.length, mayContinue, verbOf(line.event))}
        <Changes changes={changes} />
      </summary>
      <ol class="changes">
        {lines.slice(0, shownCount.value).map((one) => (
          <li key={String(one.event.sequence)}>
            <LineOfEvent line={one} />
          </li>
        ))}
      </ol>
      {shownCount.value > 0 && remaining > 0 && (
        <Button
          onClick={() => {
            shownCount.value += foldCount;
          }}
        >
          {texts.showMore(Math.min(remaining, foldCount))}
        </Button>
      )}
    </details>
  );
}
