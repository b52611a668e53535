import { faultsMax } from '../domain/verification.ts';
import type { Session } from './session.ts';
import { statement } from './statement.ts';

const inOrder = 'OVER (PARTITION BY workspace_id ORDER BY sequence)';

const selectFaults = statement<{ fault: string }>(`
  SELECT 'The feed of workspace ' || name || ' is wrong at event ' || sequence AS fault
  FROM (
    SELECT workspace_id, sequence, type, json, lag(sequence) ${inOrder} AS before FROM events
  ) AS told JOIN workspaces ON workspaces.id = workspace_id
  WHERE (before <> sequence - 1 AND type <> 'feed.reset')
    OR json NOT LIKE '{"id":"evt\\_' || sequence || '\\_%","sequence":' || sequence || ',"type":"' || type || '",%' ESCAPE '\\'
  ORDER BY workspace_id, sequence LIMIT ${faultsMax}`);

// What retention deletes is in front.
const selectCutOff = statement<{ fault: string }>(`
  SELECT 'The feed of workspace ' || name || ' lacks its newest events' AS fault FROM workspaces
  WHERE next_event_sequence - 1 > (SELECT max(sequence) FROM events WHERE workspace_id = workspaces.id)
  ORDER BY name LIMIT ${faultsMax}`);

/** A line for each event that is not the next one, or not the one that its text says; and for those that are cut off. */
export async function findEventFaults(session: Session): Promise<readonly string[]> {
  const wrong = await session.all(selectFaults);
  return [...wrong, ...(await session.all(selectCutOff))].map(({ fault }) => fault);
}
