import { background } from '../../src/context/context.ts';
import { type ApiKey, type NewApiKey, scopes } from '../../src/domain/access/api-key.ts';
import { defaultWorkspaceName } from '../../src/domain/access/workspace.ts';
import { digestApiKey } from '../../src/http/access/authenticate.ts';
import { newApiKey } from '../../src/http/access/new-api-key.ts';
import type { CommandWriter } from '../../src/storage/contract/command-writer.ts';
import { okOf } from './outcome.ts';

/** What is stored of a new key, which has every scope and no limit unless a test changes that. */
export function makeKey(changes: Partial<NewApiKey> = {}): NewApiKey {
  const { digest, lastFour } = newApiKey('production');
  const unlimited = { rateLimit: undefined, expiresAt: undefined };
  return { name: 'test', digest, lastFour, scopes, ...unlimited, ...changes };
}

export async function createKey(
  database: CommandWriter,
  changes: Partial<NewApiKey> = {},
  { workspaceName = defaultWorkspaceName, now = Date.now() } = {},
): Promise<ApiKey> {
  const apiKey = makeKey(changes);
  return okOf(await database.write(background, 'createApiKey', { workspaceName, apiKey, now }));
}

/** Replaces a key, which stays valid for a while. Returns the new one. */
export async function rotateKey(
  database: CommandWriter,
  { id, overlapMilliseconds, now }: Record<'overlapMilliseconds' | 'now', number> & { id: bigint },
): Promise<string> {
  const { text, digest, lastFour } = newApiKey('production');
  const rotation = { id, digest, lastFour, overlapMilliseconds, now };
  okOf(await database.write(background, 'rotateApiKey', rotation));
  return text;
}

/** What a server knows of a key in its environment, which is for workspace default. */
export const operatorKeyOf = (text: string) => ({
  digest: digestApiKey(text),
  workspace: { id: 1n, name: defaultWorkspaceName, createdAt: 0 },
});
