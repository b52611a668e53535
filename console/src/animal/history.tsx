import type { Pet } from '../../../client/src/contract.ts';
import type { StoreEvent } from '../../../client/src/stream.ts';
import { hasScope } from '../api/session.ts';
import { useActorNames } from '../history/actor-names.ts';
import { changesOf, type Line, petOf, toLines } from '../history/changes.ts';
import { type EventLog, type FeedPart, recordOf, useEventLog } from '../history/event-log.ts';
import { LineOrigin, LineText } from '../history/event-text.tsx';
import { Older, useShownCount } from '../history/older.tsx';
import { Failed, Loading } from '../parts/display.tsx';
import { historyTexts as texts } from '../texts/animal.ts';
import { texts as eventTexts } from '../texts/events.ts';
import { earlierValueOf, SetBack } from './set-back.tsx';
import type { Orders } from './use-orders.ts';

/** Lines that are shown at first, and those that each press of the button adds. */
const linesCount = 100;

/** The events of an animal and of its orders. Undefined if the session may not read events, and until the orders are known. */
export function useHistory(petId: bigint, { page, fault }: Orders): EventLog | undefined {
  const isKnown = page !== undefined || fault !== undefined || !hasScope('orders:read');
  const isReady = hasScope('events:read') && isKnown;
  const known = page?.rows ?? [];
  const records = isReady ? [`pet:${petId}`, ...known.map(({ id }) => `order:${id}`)] : [];
  const parts = records.map(
    (record): FeedPart => ({
      filter: { record },
      includes: (event) => recordOf(event) === record,
    }),
  );
  const log = useEventLog(records.join(' '), parts);
  return isReady ? log : undefined;
}

/** The animal as its newest event shows it. */
export function lastOf(log: EventLog | undefined): Pet | undefined {
  return log
    ?.newestFirst()
    .map(petOf)
    .find((pet) => pet !== undefined);
}

/** What happened to an animal, newest first. `pet` is undefined if it is deleted. */
export function AnimalHistory(props: {
  readonly log: EventLog | undefined;
  readonly pet: Pet | undefined;
  readonly mayChangeStatus: boolean;
}) {
  const { log } = props;
  return (
    <section aria-labelledby="history">
      <h2 id="history">{texts.title}</h2>
      {!hasScope('events:read') ? (
        <p>{texts.notAllowed}</p>
      ) : log === undefined ? (
        <Loading />
      ) : (
        <Lines {...props} log={log} />
      )}
    </section>
  );
}

function Lines(props: {
  readonly log: EventLog;
  readonly pet: Pet | undefined;
  readonly mayChangeStatus: boolean;
}) {
  useActorNames();
  const { log, pet, mayChangeStatus } = props;
  const { shownCount, showOlder } = useShownCount(
    log,
    linesCount,
    (read) => toLines(read.newestFirst()).length,
  );
  const events = log.newestFirst();
  const { state, message } = log;
  if (events.length === 0 && state.value === 'loading') return <Loading />;
  if (events.length === 0 && state.value === 'failed') {
    const retry = () => void log.read(() => true);
    return <Failed title={eventTexts.readFailed} message={message.value} onRetry={retry} />;
  }
  const canWrite = hasScope('pets:write');
  const lines = toLines(events);
  const shown = lines.slice(0, shownCount);
  const isAll = shown.length === lines.length;
  return (
    <>
      {events.length === 0 && <p>{texts.none}</p>}
      <ol class="changes">
        {shown.map((line) => (
          <li key={String(line.event.sequence)}>
            <LineOrigin line={line} />
            <div>
              <LineText line={line} isOfPage />
              {canWrite && pet !== undefined && (
                <EarlierValues line={line} pet={pet} mayChangeStatus={mayChangeStatus} />
              )}
            </div>
          </li>
        ))}
      </ol>
      {!(isAll && isWhole(log, events)) && <Older {...{ log, isAll }} onShow={showOlder} />}
    </>
  );
}

/** Nothing happened before an animal was added. */
function isWhole(log: EventLog, events: readonly StoreEvent[]): boolean {
  return log.isComplete() && events.some(({ type }) => type === 'pet.created');
}

/** A button for each value that a change replaced, unless the animal has it again. */
function EarlierValues(props: {
  readonly line: Line;
  readonly pet: Pet;
  readonly mayChangeStatus: boolean;
}) {
  const { line, pet, mayChangeStatus } = props;
  const { event, caused } = line;
  return changesOf(caused ?? event).map((change) => {
    const earlier = earlierValueOf(change);
    if (earlier === undefined || pet[earlier.member] === earlier.value) return null;
    // A reservation comes back with its order only.
    const isReservation = caused !== undefined && earlier.value === 'pending';
    if (earlier.member === 'status' && (!mayChangeStatus || isReservation)) return null;
    return <SetBack key={change.member} {...{ pet, earlier }} time={event.timestamp} />;
  });
}
