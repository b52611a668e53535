import { type ApiKeyReads, type Environment, usualScopes } from '../domain/api-key.ts';
import type { CommandWriter } from '../domain/commands.ts';
import { defaultWorkspaceName } from '../domain/workspace.ts';
import { newApiKey } from '../http/new-api-key.ts';
import type { Log } from '../ops/log.ts';
import { storedApiKey } from './stored-api-key.ts';

/**
 * Makes a key where there never was one, and prints it on standard error, so that the log never holds it. It is printed
 * before it is stored: whatever ends the process between the two, the next start prints another, and no key is left
 * that is valid and that nobody has seen.
 */
export async function makeFirstApiKey(
  database: CommandWriter & Pick<ApiKeyReads, 'hasHadApiKey'>,
  environment: Environment,
  origin: string,
  log: Log,
): Promise<void> {
  if (await database.hasHadApiKey()) return;
  const { text, digest, lastFour } = newApiKey(environment);
  try {
    await printError(announcement(text, origin));
  } catch (error) {
    log.warn({ err: error }, 'the first API key could not be printed, so it was not stored');
    return;
  }
  const write = database.write('createFirstApiKey', {
    apiKey: {
      name: 'first',
      digest,
      lastFour,
      scopes: environment === 'staging' ? [...usualScopes, 'staging:control'] : usualScopes,
      rateLimit: undefined,
      expiresAt: undefined,
    },
    now: Date.now(),
  });
  if ('refused' in (await storedApiKey(text, write))) {
    await printError('Another server created the first key; the key above is not valid.\n');
  }
}

function announcement(text: string, origin: string): string {
  return `
New API key for workspace ${defaultWorkspaceName}, shown only once:

  ${text}

Add an animal with it:

  curl ${origin}/v1/pets -H 'Authorization: Bearer ${text}' -H 'Content-Type: application/json' -d '{"name":"Fluffy","categoryId":7}'

`;
}

/** Returns once it was taken by whatever standard error leads to. */
function printError(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stderr.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
