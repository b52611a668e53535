import { background } from '../context/context.ts';
import { settlesWithin } from '../context/deadline.ts';
import { type ApiKeyReads, defaultScopes, type Environment } from '../domain/access/api-key.ts';
import { defaultWorkspaceName } from '../domain/access/workspace.ts';
import { escapeHidden } from '../domain/values/visible-text.ts';
import { newApiKey } from '../http/access/new-api-key.ts';
import type { Log } from '../ops/log.ts';
import { writeStderr, writeStderrUnawaited } from '../ops/output.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import { showKeyIfUnknown } from './show-key-if-unknown.ts';

/** How long the server waits for the reader of standard error before it is ready without a key. */
const printMillisecondsMax = 1000;

/**
 * Makes a key if the data never had one, and prints it on standard error, so that the log never contains it. The key is printed
 * before it is stored: if the process ends between the two, the next start prints another key, and no unseen key is valid.
 */
export async function makeFirstApiKey(
  database: CommandWriter & Pick<ApiKeyReads, 'hasHadApiKey'>,
  environment: Environment,
  origin: string,
  log: Log,
): Promise<void> {
  if (await database.hasHadApiKey(background)) return;
  const apiKey = newApiKey(environment);
  const printed = writeStderr(announcement(apiKey.text, origin));
  const save = () => storeFirstApiKey(database, apiKey);
  try {
    if (!(await settlesWithin(printed, printMillisecondsMax))) {
      log.warn('standard error has no reader; the first API key is stored when it is printed');
      printed.then(save).catch((error: Error) => {
        // The message can contain the key, which must not be logged.
        log.warn('the first API key could not be stored; standard error has the reason');
        writeStderrUnawaited(`animal-store: ${escapeHidden(error.message)}\n`);
      });
      return;
    }
  } catch (error) {
    log.warn({ err: error }, 'the first API key could not be printed, so it was not stored');
    return;
  }
  await save();
}

async function storeFirstApiKey(
  database: CommandWriter,
  { text, digest, lastFour }: ReturnType<typeof newApiKey>,
): Promise<void> {
  const write = database.write(background, 'createFirstApiKey', {
    apiKey: {
      name: 'first',
      digest,
      lastFour,
      scopes: defaultScopes,
      rateLimit: undefined,
      expiresAt: undefined,
    },
    now: Date.now(),
  });
  if ('refused' in (await showKeyIfUnknown(text, write))) {
    writeStderrUnawaited('Another server created the first key; the key above is not valid.\n');
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
