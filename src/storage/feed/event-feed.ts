import {
  type EventPage,
  type EventPageRequest,
  type EventReads,
  type EventType,
  eventKinds,
  type NewEvent,
  recordKinds,
  type StoredEvent,
} from '../../domain/event.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { assignedIdMax, type Int64 } from '../../domain/values/int64.ts';
import type { Queryable, Row, Transaction } from '../queryable.ts';
import { statement } from '../statement.ts';
import type { Within } from '../within.ts';
import { formatEvent } from './event-text.ts';

/** Appends events to the feed of a workspace, from a sequence on. `changeWorkspace` has counted them. */
export function appendEvents(
  transaction: Transaction,
  workspaceId: Int64,
  firstSequence: Int64,
  events: readonly NewEvent[],
): void {
  let sequence = firstSequence;
  const rows = events.map((event) => {
    const row = toRow(workspaceId, sequence, event);
    sequence += 1n;
    return row;
  });
  if (rows.length > 0) transaction.insert('events', rows);
}

function toRow(workspaceId: Int64, sequence: Int64, event: NewEvent): Row {
  const { type, recordId, at } = event;
  const json = formatEvent(event, workspaceId, sequence);
  return { workspaceId, sequence, type, recordId, at, json };
}

interface PageRow {
  readonly head: number;
  readonly sequence: number | undefined;
  readonly type: EventType;
  /** Null if the page leaves the event out. */
  readonly json: string | null;
  /** The sequence of the last event that was read. Undefined if all were. */
  readonly scannedTo: number | undefined;
}

// One statement reads one moment, so that an event that is being deleted is not missed. The event at the position itself
// comes first, if it is still stored.
const selectPage = statement<PageRow>(
  `
  SELECT next_event_sequence - 1 AS head, sequence, type, json, sequence AS "scannedTo"
  FROM workspaces LEFT JOIN (
    SELECT sequence, type, json FROM events
    WHERE workspace_id = $1 AND sequence >= $2 ORDER BY sequence LIMIT $3
  ) AS page ON true
  WHERE id = $1
  ORDER BY sequence`,
  ['head', 'sequence', 'scannedTo'],
);

/** The events that are read for a page of some types. */
const scanMax = 1000;

// Only the texts of these types are read. The first two events of any type are read too: they show whether the position is
// still in the feed.
const selectChosen = statement<PageRow>(
  `
  WITH scanned AS MATERIALIZED (
    SELECT sequence, type FROM events
    WHERE workspace_id = $1 AND sequence >= CAST($2 AS bigint) ORDER BY sequence LIMIT ${scanMax + 1}
  ), page AS (
    SELECT sequence FROM scanned WHERE sequence <= CAST($2 AS bigint) + 1 OR type = ANY ($4::text[])
    ORDER BY sequence LIMIT $3 + 2
  )
  SELECT next_event_sequence - 1 AS head, events.sequence, type,
    CASE WHEN type = ANY ($4::text[]) THEN json END AS json,
    (SELECT max(sequence) FROM scanned) AS "scannedTo"
  FROM workspaces LEFT JOIN page ON true
    LEFT JOIN events ON events.workspace_id = $1 AND events.sequence = page.sequence
  WHERE workspaces.id = $1
  ORDER BY page.sequence`,
  ['head', 'sequence', 'scannedTo'],
);

/** The number of types of the kind of record that has most. */
const typesMax = Math.max(...recordKinds.map((kind) => eventKinds[kind].types.length));

const selectOfType = (recordId: string, type: string) => `
  SELECT sequence FROM (
    SELECT sequence FROM events
    WHERE workspace_id = $1 AND record_id = ${recordId} AND type = ${type} AND sequence > $2
    ORDER BY sequence LIMIT $3
  ) AS of_type`;

const selectOfTypes = [
  selectOfType('0', '$5'),
  ...Array.from({ length: typesMax }, (_, index) => selectOfType('$4', `$${6 + index}`)),
].join(' UNION ALL ');

/**
 * The events of one record, and `feed.reset`. For each type, adjacent entries of an index are read, so that the events of other
 * records cost nothing. A type that is NULL is left out. The first event of any record is read too: it shows whether the position
 * is still in the feed.
 */
export const selectOfRecord = statement<PageRow>(
  `
  WITH page AS (
    SELECT sequence, 0 AS is_chosen FROM (
      SELECT sequence FROM events
      WHERE workspace_id = $1 AND sequence >= $2 ORDER BY sequence LIMIT 1
    ) AS first
    UNION ALL
    SELECT sequence, 1 AS is_chosen FROM (
      ${selectOfTypes}
      ORDER BY sequence LIMIT $3
    ) AS chosen
  )
  SELECT next_event_sequence - 1 AS head, events.sequence, type,
    CASE is_chosen WHEN 1 THEN json END AS json, NULL AS "scannedTo"
  FROM workspaces LEFT JOIN page ON true
    LEFT JOIN events ON events.workspace_id = $1 AND events.sequence = page.sequence
  WHERE workspaces.id = $1
  ORDER BY page.sequence`,
  ['head', 'sequence', 'scannedTo'],
);

const selectFirst = statement<{ first: number | undefined }>(
  'SELECT min(sequence) AS first FROM events WHERE workspace_id = $1',
  ['first'],
);

const selectEvent = statement<StoredEvent>(
  'SELECT sequence, json FROM events WHERE workspace_id = $1 AND sequence = $2',
  ['sequence'],
);

export function createEventReads(within: Within): EventReads {
  return {
    readEvents(context, workspaceId, request) {
      const { actor, limit } = request;
      const scanned = actor === undefined ? request : { ...request, limit: actorScanMax };
      return andThen(selectRows(within(context), workspaceId, scanned), (found) => {
        const [top] = found;
        if (top === undefined) return undefined;
        const made = toEventPage(found, top.head, scanned);
        if (made !== undefined) return actor === undefined ? made : ofActor(made, actor, limit);
        return andThen(within(context).all(selectFirst, [workspaceId]), ([oldest]) => ({
          expired: { first: oldest?.first, head: top.head },
        }));
      });
    },
    readEvent: (context, workspaceId, sequence) =>
      andThen(within(context).all(selectEvent, [workspaceId, sequence]), ([event]) => event),
  };
}

/** The events that are read for a page of one actor. No index has actors. */
const actorScanMax = 2000;

/** Quotes in the texts of a record are escaped, so that only the member itself matches. */
function ofActor(page: EventPage, actor: string, limit: number): EventPage {
  const member = `"actor":${JSON.stringify(actor)},`;
  const found = page.events.filter(({ json }) => json.includes(member));
  const events = found.slice(0, limit);
  const last = found.length > limit ? events.at(-1) : undefined;
  return { ...page, events, position: last?.sequence ?? page.position };
}

/** Selects the events of a page, and one more if another page follows. */
function selectRows(
  queryable: Queryable,
  workspaceId: Int64,
  { after = 0, types, record, limit }: EventPageRequest,
): Awaitable<readonly PageRow[]> {
  const page = [workspaceId, after === 'now' ? assignedIdMax : after, limit + 1] as const;
  if (record !== undefined) {
    const isChosen = (type: EventType) => types === undefined || types.includes(type);
    const reset = isChosen('feed.reset') ? 'feed.reset' : null;
    const ofKind: readonly EventType[] = eventKinds[record.kind].types;
    const chosen = ofKind.filter(isChosen);
    const ofRecord = Array.from({ length: typesMax }, (_, index) => chosen[index] ?? null);
    return queryable.all(selectOfRecord, [...page, record.id, reset, ...ofRecord]);
  }
  return types === undefined
    ? queryable.all(selectPage, page)
    : queryable.all(selectChosen, [...page, types]);
}

/** Returns undefined if events after the position are missing. */
function toEventPage(
  rows: readonly PageRow[],
  head: number,
  { after, limit }: EventPageRequest,
): EventPage | undefined {
  const [first] = rows;
  if (typeof after === 'number' && !isKept(after, head, first)) return undefined;
  const events: StoredEvent[] = [];
  for (const { sequence, json } of rows) {
    if (sequence === undefined || sequence === after || json === null) continue;
    const last = events[limit - 1];
    if (last !== undefined) return { events, position: last.sequence, head };
    events.push({ sequence, json });
  }
  return { events, position: rows.at(-1)?.scannedTo ?? head, head };
}

/**
 * Whether all events after a position are stored. `first` is the first stored event from the position on. A restore may have
 * undone events before a `feed.reset`.
 */
function isKept(after: number, head: number, first: PageRow | undefined): boolean {
  if (first?.sequence === undefined) return after === head;
  return first.sequence === after || (first.sequence === after + 1 && first.type !== 'feed.reset');
}

const selectFeeds = statement<{ id: Int64; sequence: Int64 }>(
  'SELECT id, next_event_sequence AS sequence FROM workspaces ORDER BY id',
);

const countResets = statement(
  'UPDATE workspaces SET next_event_sequence = next_event_sequence + 1',
);

/** Adds an event to every feed that says that earlier events may have been undone. `now` is milliseconds since 1970. */
export async function resetFeeds(transaction: Transaction, now: number): Promise<void> {
  const feeds = await transaction.all(selectFeeds);
  const reset = { type: 'feed.reset', at: now, actor: 'system', recordId: 0n, data: {} } as const;
  const rows = feeds.map(({ id, sequence }) => toRow(id, sequence, reset));
  await transaction.run(countResets);
  transaction.insert('events', rows);
}
