import type {
  EventPage,
  EventPageRequest,
  EventReads,
  EventType,
  NewEvent,
  StoredEvent,
} from '../../domain/event.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import { assignedIdMax, type Int64 } from '../../domain/values/int64.ts';
import type { Queryable, Row, Transaction } from '../queryable.ts';
import { statement } from '../statement.ts';
import { formatEvent } from './event-text.ts';

/** Appends events to the feed of a workspace, from a sequence on. The change of the workspace has taken as many. */
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
  const { type, at } = event;
  const json = formatEvent(event, workspaceId, sequence);
  return { workspaceId, sequence, type, at, json };
}

interface PageRow {
  readonly head: number;
  readonly sequence: number | undefined;
  readonly type: EventType;
  readonly json: string | null;
  /** The sequence of the last event that was read. */
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
    ORDER BY sequence LIMIT $3 + 1
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

const selectFirst = statement<{ first: number | undefined }>(
  'SELECT min(sequence) AS first FROM events WHERE workspace_id = $1',
  ['first'],
);

export function createEventReads(queryable: Queryable): EventReads {
  return {
    readEvents(workspaceId, request) {
      const { after = 0, types, limit } = request;
      const from = after === 'now' ? assignedIdMax : after;
      const rows =
        types === undefined
          ? queryable.all(selectPage, [workspaceId, from, limit + 1])
          : queryable.all(selectChosen, [workspaceId, from, limit + 1, types]);
      return andThen(rows, (found) => {
        const [top] = found;
        if (top === undefined) return undefined;
        const made = toEventPage(found, top.head, request);
        if (made !== undefined) return made;
        return andThen(queryable.all(selectFirst, [workspaceId]), ([oldest]) => ({
          expired: { first: oldest?.first, head: top.head },
        }));
      });
    },
  };
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
    events.push({ sequence, json });
    if (events.length === limit) return { events, position: sequence, head };
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
  const reset = { type: 'feed.reset', at: now, data: {} } as const;
  const rows = feeds.map(({ id, sequence }) => toRow(id, sequence, reset));
  await transaction.run(countResets);
  transaction.insert('events', rows);
}
