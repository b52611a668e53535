import { type Awaitable, andThen } from '../domain/awaitable.ts';
import type { DataVersion } from '../domain/database.ts';

/** Secrets that were looked up lately; beyond this the oldest is looked up again. */
const rememberedMax = 10_000;

/** What a secret opens. */
interface Opened {
  /** Milliseconds since 1970. */
  readonly validUntil: number;
}

/** Looks a secret up by the digest of its text; undefined where it opens nothing. */
export type FindSecret<Found> = (digest: string, text: string) => Awaitable<Found | undefined>;

interface Remembered<Found> {
  readonly found: Found;
  readonly dataVersion: number;
}

/**
 * What was found is remembered while nothing is committed, by this process or another: so what was revoked is refused by
 * the next request (or within the engine's bound of staleness), and a busy caller costs no look-up.
 */
export function rememberFound<Found extends Opened>(
  database: DataVersion,
  now: () => number,
  find: FindSecret<Found>,
): FindSecret<Found> {
  const remembered = new Map<string, Remembered<Found>>();

  function remember(
    digest: string,
    found: Found | undefined,
    dataVersion: number,
  ): Found | undefined {
    remembered.delete(digest);
    if (found === undefined) return undefined;
    const [oldest] = remembered.keys();
    if (remembered.size >= rememberedMax && oldest !== undefined) remembered.delete(oldest);
    remembered.set(digest, { found, dataVersion });
    return unlessEnded(found);
  }

  function unlessEnded(found: Found): Found | undefined {
    return now() < found.validUntil ? found : undefined;
  }

  return (digest, text) => {
    const dataVersion = database.dataVersion();
    const known = remembered.get(digest);
    if (known?.dataVersion === dataVersion) return unlessEnded(known.found);
    return andThen(find(digest, text), (found) => remember(digest, found, dataVersion));
  };
}
