import { background } from '../../context/context.ts';
import type { EventReads, FoundEvents } from '../../domain/event.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { DataVersion } from '../../storage/contract/database.ts';

/**
 * The pages that are kept of one data version. Beyond this, streams read pages by themselves. A character counts two bytes, and most
 * take one, so that the pages rather take less.
 */
const bytesMax = 8 * 2 ** 20;
const overheadBytes = 300;

/** Reads events. A version at which the caller was woken lets it share a page with the others that were woken. */
export type ReadEvents = (
  ...input: [...Parameters<EventReads['readEvents']>, version?: number | undefined]
) => Awaitable<FoundEvents>;

/**
 * Reads a page of the feed once for all streams at the same position. A thousand streams that wait for the next event request the
 * same page at the same moment. A page is valid until the next commit.
 */
export function shareEventReads(database: EventReads & DataVersion): ReadEvents {
  const pages = new Map<string, Awaitable<FoundEvents>>();
  let bytes = 0;
  let pagesVersion: number | undefined;

  /** A refusal is not kept: another server may assign the position in the next moment. */
  function mayKeep(found: FoundEvents): boolean {
    if (found === undefined || 'expired' in found) return false;
    bytes += found.events.reduce((sum, { json }) => sum + 2 * json.length, overheadBytes);
    return bytes <= bytesMax;
  }

  return (context, workspaceId, request, dataVersion = database.dataVersion()) => {
    if (dataVersion !== pagesVersion) {
      pages.clear();
      bytes = 0;
    }
    pagesVersion = dataVersion;
    const { after, types, record, actor, limit } = request;
    const key = `${workspaceId} ${after} ${types} ${record?.kind} ${record?.id} ${actor} ${limit}`;
    const known = pages.get(key);
    if (known !== undefined) return known;
    // One that leaves does not end the read for the others.
    const shared = { ...background, deadline: context.deadline };
    const read = database.readEvents(shared, workspaceId, request);
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
