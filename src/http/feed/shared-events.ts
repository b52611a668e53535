import type { DataVersion } from '../../domain/database/database.ts';
import type { EventReads, FoundEvents } from '../../domain/event.ts';

/** The pages that are kept of one data version. Beyond this, streams read pages by themselves. */
const bytesMax = 8 * 2 ** 20;
const overheadBytes = 300;

/**
 * Reads a page of the feed once for all streams at the same position. A thousand streams that wait for the next event request the
 * same page at the same moment. A page is valid until the next commit.
 */
export function shareEventReads(database: EventReads & DataVersion): EventReads['readEvents'] {
  const pages = new Map<string, ReturnType<EventReads['readEvents']>>();
  let bytes = 0;
  let pagesVersion: number | undefined;

  /** A refusal is not kept: another server may assign the position in the next moment. */
  function mayKeep(found: FoundEvents): boolean {
    if (found === undefined || 'expired' in found) return false;
    bytes += found.events.reduce((sum, { json }) => sum + 2 * json.length, overheadBytes);
    return bytes <= bytesMax;
  }

  return (workspaceId, request) => {
    const dataVersion = database.dataVersion();
    if (dataVersion !== pagesVersion) {
      pages.clear();
      bytes = 0;
    }
    pagesVersion = dataVersion;
    const { after, types, record, limit } = request;
    const key = `${workspaceId} ${after} ${types} ${record?.kind} ${record?.id} ${limit}`;
    const shared = pages.get(key);
    if (shared !== undefined) return shared;
    const read = database.readEvents(workspaceId, request);
    const evict = () => {
      if (pages.get(key) === read) pages.delete(key);
    };
    if (read instanceof Promise) {
      pages.set(key, read);
      read.then((found) => mayKeep(found) || evict(), evict);
    } else if (mayKeep(read)) {
      pages.set(key, read);
    }
    return read;
  };
}
