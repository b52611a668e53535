import type { Int64 } from '../../domain/values/int64.ts';
import { faultsMax } from '../contract/verification.ts';
import type { Queryable } from '../queryable.ts';
import { pageRowsMax, readRows } from '../read-rows.ts';
import { statement } from '../statement.ts';
import { type EventRow, isIntact } from './event-text.ts';

const selectNames = statement<{ id: Int64; name: string }>('SELECT id, name FROM workspaces');

const selectPage = statement<EventRow>(
  `
  SELECT workspace_id AS "workspaceId", sequence, type, record_id AS "recordId", at, json FROM events
  WHERE (workspace_id, sequence) > ($1, $2)
  ORDER BY workspace_id, sequence LIMIT ${pageRowsMax}`,
  ['at'],
);

// Old events are deleted from the front.
const selectCutOff = statement<{ fault: string }>(`
  SELECT 'The feed of workspace ' || name || ' lacks its newest events' AS fault FROM workspaces
  WHERE next_event_sequence - 1 > (SELECT max(sequence) FROM events WHERE workspace_id = workspaces.id)
  ORDER BY name LIMIT ${faultsMax}`);

/** A line for each event that was changed or is missing. */
export async function findEventFaults(queryable: Queryable): Promise<readonly string[]> {
  const names = new Map((await queryable.all(selectNames)).map(({ id, name }) => [id, name]));
  const faults: string[] = [];
  let before: EventRow | undefined;
  for await (const event of readRows(queryable, selectPage, ({ sequence }) => sequence)) {
    const { workspaceId, sequence, type } = event;
    const feed = `The feed of workspace ${names.get(workspaceId) ?? `with id ${workspaceId}`}`;
    if (!isIntact(event)) faults.push(`${feed} has a changed event ${sequence}`);
    const follows = before?.workspaceId !== workspaceId || before.sequence === sequence - 1n;
    // Restored data continues above every sequence that was assigned.
    if (!follows && type !== 'feed.reset') faults.push(`${feed} lacks events before ${sequence}`);
    before = event;
    if (faults.length >= faultsMax) return faults;
  }
  return [...faults, ...(await queryable.all(selectCutOff)).map(({ fault }) => fault)];
}
