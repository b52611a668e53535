import { openExistingDatabase } from '../../src/cli/open-database.ts';
import { parseDatabaseUrl } from '../../src/ops/setting-values.ts';
import { createReaderKeys } from '../../test/support/event-readers.ts';

/** Creates keys with all scopes for a number of event streams. */
export async function createKeys(databaseUrl: string, streams: number): Promise<readonly string[]> {
  const parsed = parseDatabaseUrl(databaseUrl);
  if (!('value' in parsed)) throw new Error(`The URL must be ${parsed.mustBe}`);
  const config = { database: parsed.value, durability: 'checked', allowDataLoss: false } as const;
  await using database = await openExistingDatabase(config);
  return await createReaderKeys(database, streams);
}
