import { scopes } from '../../src/domain/access/api-key.ts';
import { newApiKey } from '../../src/http/access/new-api-key.ts';
import { openSqliteDatabase } from '../../src/sqlite/database.ts';

/** Adds `Key 1`, `shop-1` and so on to a file, in one process, because as many runs of the program would take minutes. */
export async function addKeysAndWorkspaces(path: string, count: number): Promise<void> {
  await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  for (let index = 1; index <= count; index += 1) {
    await database.write('createWorkspace', { name: `shop-${index}`, now: index });
    const { digest, lastFour } = newApiKey('production');
    const unlimited = { rateLimit: undefined, expiresAt: undefined };
    const apiKey = { name: `Key ${index}`, digest, lastFour, scopes, ...unlimited };
    await database.write('createApiKey', { workspaceName: 'default', apiKey, now: index });
  }
}
