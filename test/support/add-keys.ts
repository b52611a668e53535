import { background } from '../../src/context/context.ts';
import { linkMilliseconds, sessionMilliseconds } from '../../src/domain/access/console-session.ts';
import { defaultWorkspaceName } from '../../src/domain/access/workspace.ts';
import { newConsoleToken } from '../../src/http/console/token.ts';
import { openSqliteDatabase } from '../../src/sqlite/database.ts';
import { createKey } from './new-key.ts';

/** Adds `Key 1`, `shop-1` and so on to a file, in one process, because as many runs of the program would take minutes. */
export async function addKeysAndWorkspaces(path: string, count: number): Promise<void> {
  await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  for (let index = 1; index <= count; index += 1) {
    await database.write(background, 'createWorkspace', { name: `shop-${index}`, now: index });
    await createKey(database, { name: `Key ${index}` }, { now: index });
  }
}

/** Adds sessions of owners to a file, in one process as well. */
export async function addSessions(path: string, count: number): Promise<void> {
  await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  for (let added = 0; added < count; added += 1) {
    const now = Date.now();
    const { digest: linkDigest } = newConsoleToken();
    await database.write(background, 'createConsoleLink', {
      digest: linkDigest,
      workspaceName: defaultWorkspaceName,
      now,
      expiresAt: now + linkMilliseconds,
    });
    await database.write(background, 'openOwnerSession', {
      digest: newConsoleToken().digest,
      linkDigest,
      now,
      expiresAt: now + sessionMilliseconds,
      replaces: undefined,
      address: `192.0.2.${added}`,
    });
  }
}
