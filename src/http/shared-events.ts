import type { DataVersion } from '../domain/database.ts';
import type { EventReads, FoundEvents } from '../domain/event.ts';

/** So many pages are kept, and only short ones: together a few megabytes at most. */
const pagesMax = 64;
const eventsMax = 20;

/**
 * Reads the feed once for all who are at the same place in it: a thousand streams that wait for the next event ask for the
 * same page at the same moment. What was read holds while nothing is committed.
 */
export function shareEventReads(database: EventReads & DataVersion): EventReads['readEvents'] {
  const pages = new Map<string, ReturnType<EventReads['readEvents']>>();
  let readAt: number | undefined;
  return (workspaceId, request) => {
    const now = database.dataVersion();
    if (now !== readAt || pages.size >= pagesMax) pages.clear();
    readAt = now;
    const key = `${workspaceId} ${request.after} ${request.types} ${request.limit}`;
    const shared = pages.get(key);
    if (shared !== undefined) return shared;
    const read = database.readEvents(workspaceId, request);
    const forget = () => {
      if (pages.get(key) === read) pages.delete(key);
    };
    if (read instanceof Promise) {
      pages.set(key, read);
      read.then((found) => isWorthKeeping(found) || forget(), forget);
    } else if (isWorthKeeping(read)) {
      pages.set(key, read);
    }
    return read;
  };
}

/** Not what is refused: a position that nobody has yet may be given out by another server in the next moment. */
function isWorthKeeping(found: FoundEvents): boolean {
  return found !== undefined && 'events' in found && found.events.length <= eventsMax;
}
